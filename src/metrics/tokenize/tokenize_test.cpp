#include "metrics/tokenize/tokenize.h"

#include <gtest/gtest.h>

#include "attune/error.h"
#include "metrics/tokenize/tokenize_ter.h"
#include "metrics/tokenize/unicode.h"
#include "testing/scratch.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune::metrics {
namespace {

using Tokens = std::vector<std::string>;

Tokens tokens(std::string_view tokenizer, std::string_view line) {
  const std::string text = find_tokenizer(tokenizer)(line);
  const auto words = split(text);
  return {words.begin(), words.end()};
}

TEST(Tokenize, every_tokeniser_has_its_name) {
  EXPECT_EQ(tokenizer_names(), (Tokens{"13a", "char", "flores101", "flores200", "intl", "ja-mecab",
                                       "ko-mecab", "none", "spm", "zh"}));
}

TEST(Tokenize, unknown_names_are_refused_with_the_nearest) {
  try {
    find_tokenizer("int");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "unknown tokeniser 'int', did you mean 'intl'? Known: 13a, char, flores101, flores200, intl, "
        "ja-mecab, ko-mecab, none, spm, zh");
  }
}

TEST(Tokenize, every_tokeniser_takes_empty_lines) {
  for (const char* name : {"13a", "char", "intl", "none", "zh"}) {
    EXPECT_EQ(tokens(name, ""), Tokens{}) << name;
    EXPECT_EQ(tokens(name, " \t\u3000"), Tokens{}) << name;
  }
}

TEST(Tokenize, t13a_keeps_numbers_and_parts_currency) {
  EXPECT_EQ(tokens("13a", "$1,000.50, 5%."), (Tokens{"$", "1,000.50", ",", "5", "%", "."}));
  EXPECT_EQ(tokens("13a", "1990-2000"), (Tokens{"1990", "-", "2000"}));
  EXPECT_EQ(tokens("13a", "well-known"), (Tokens{"well-known"}));
  EXPECT_EQ(tokens("13a", "€5"), (Tokens{"€5"}));
}

TEST(Tokenize, t13a_knows_ascii_quotes_and_entities_but_no_other_quotes) {
  EXPECT_EQ(tokens("13a", "&quot;a&quot; &amp; don't"), (Tokens{"\"", "a", "\"", "&", "don't"}));
  EXPECT_EQ(tokens("13a", "“a”"), (Tokens{"“a”"}));
}

TEST(Tokenize, t13a_parts_a_stop_at_either_end_where_zh_and_intl_do_not) {
  EXPECT_EQ(tokens("13a", "in 5."), (Tokens{"in", "5", "."}));
  EXPECT_EQ(tokens("zh", "in 5."), (Tokens{"in", "5."}));
  EXPECT_EQ(tokens("intl", "in 5."), (Tokens{"in", "5."}));
  EXPECT_EQ(tokens("13a", ".5"), (Tokens{".", "5"}));
  EXPECT_EQ(tokens("zh", " .5"), (Tokens{".5"}));
}

TEST(Tokenize, intl_goes_by_unicode_classes) {
  EXPECT_EQ(tokens("intl", "“a”—b…"), (Tokens{"“", "a", "”", "—", "b", "…"}));
  EXPECT_EQ(tokens("intl", "€5 ≤ ½"), (Tokens{"€", "5", "≤", "½"}));
  EXPECT_EQ(tokens("intl", "٣,٥ 1,5 a,5"), (Tokens{"٣,٥", "1,5", "a", ",", "5"}));
  EXPECT_EQ(tokens("intl", "don't"), (Tokens{"don", "'", "t"}));
}

TEST(Tokenize, a_text_gets_the_tokeniser_of_its_script) {
  const auto suitable = [](const std::string& line) { return suitable_tokenizer({&line, 1}); };
  EXPECT_EQ(suitable("A dog runs, 3.5 km."), "13a");
  EXPECT_EQ(suitable("一只狗在跑，3.5 公里。"), "zh");
  EXPECT_EQ(suitable("犬が走っています。"), "char");
  EXPECT_EQ(suitable("สุนัขกำลังวิ่ง"), "char");
}

TEST(Tokenize, zh_parts_chinese_characters_and_general_punctuation) {
  EXPECT_EQ(tokens("zh", "我有3.5个。“好”abc"),
            (Tokens{"我", "有", "3.5", "个", "。", "“", "好", "”", "abc"}));
  EXPECT_EQ(tokens("zh", "a—b€5"), (Tokens{"a", "—", "b", "€", "5"}));
  EXPECT_EQ(tokens("zh", "５！"), (Tokens{"５", "！"}));
}

TEST(Tokenize, zh_leaves_extension_b_and_kana_together) {
  EXPECT_EQ(tokens("zh", "𠀀𠀁"), (Tokens{"𠀀𠀁"}));
  EXPECT_EQ(tokens("zh", "テスト中"), (Tokens{"テスト", "中"}));
}

TEST(Tokenize, char_makes_a_token_of_every_code_point) {
  EXPECT_EQ(tokens("char", "a é𠀀"), (Tokens{"a", "é", "𠀀"}));
  EXPECT_EQ(tokens("char", "e\u0301"), (Tokens{"e", "\u0301"}));
}

TEST(Tokenize, ter_options_do_what_they_say) {
  const std::string line = "It's 5.5, Don't (中文)、";
  EXPECT_EQ(tokenize_ter(line, {}), "it's 5.5, don't (中文)、");
  EXPECT_EQ(tokenize_ter(line, {.case_sensitive = true}), "It's 5.5, Don't (中文)、");
  EXPECT_EQ(tokenize_ter(line, {.normalized = true}), "it 's 5.5 , don't ( 中文 ) 、");
  EXPECT_EQ(tokenize_ter(line, {.normalized = true, .asian_support = true}),
            "it 's 5.5 , don't ( 中 文 ) 、");
  EXPECT_EQ(tokenize_ter(line, {.no_punct = true}), "it's 55 don't 中文、");
  EXPECT_EQ(tokenize_ter(line, {.no_punct = true, .asian_support = true}), "it's 55 don't 中文");
}

TEST(Unicode, white_space_is_that_of_python) {
  EXPECT_EQ(split("a\tb\u00a0c\u3000d\u2028e\x1c"
                  "f\u0085g"),
            (std::vector<std::string_view>{"a", "b", "c", "d", "e", "f", "g"}));
  EXPECT_EQ(split("a\u200bb"), (std::vector<std::string_view>{"a\u200bb"}));
  EXPECT_EQ(strip_end(" a \u00a0\r"), " a");
}

TEST(Unicode, lower_case_knows_the_final_sigma_and_dots) {
  EXPECT_EQ(lower("ΟΔΟΣ ΣΑ"), "οδος σα");
  EXPECT_EQ(lower("İI"), "i\u0307i");
}

TEST(Unicode, malformed_bytes_are_replaced) { EXPECT_EQ(decode("a\xff"), U"a\uFFFD"); }

std::string refusal(std::string_view name, const TokenizerOptions& options = {}) {
  try {
    find_tokenizer(name, options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

// As MeCab 0.996 on the command line writes with the IPA dictionary and -Owakati.
TEST(Tokenize, mecab_parts_japanese_or_says_what_to_install) {
  if (const std::string text = refusal("ja-mecab"); text != "accepted") {
    EXPECT_NE(text.find("install"), std::string::npos) << text;
    EXPECT_NE(text.find("mecab-ipadic-utf8"), std::string::npos) << text;
    return;
  }
  EXPECT_EQ(tokens("ja-mecab", "これは美しい花です。"), (Tokens{"これ", "は", "美しい", "花", "です", "。"}));
  EXPECT_EQ(tokens("ja-mecab", "東京都に住んでいる。"),
            (Tokens{"東京", "都", "に", "住ん", "で", "いる", "。"}));
  EXPECT_EQ(tokens("ja-mecab", ""), Tokens{});
  EXPECT_EQ(find_tokenizer("ja-mecab").signature.substr(0, 9), "ja-mecab-");
  EXPECT_TRUE(find_tokenizer("ja-mecab").signature.ends_with("-IPA"));
}

TEST(Tokenize, sentencepiece_needs_its_model) {
  EXPECT_NE(refusal("flores200").find("--tokenize flores200 --spm-model FILE"), std::string::npos);
  EXPECT_NE(refusal("spm", {.spm_model = "/nowhere.spm"}).find("/nowhere.spm"), std::string::npos);
  const attune::testing::ScratchFolder folder;
  const std::vector<std::string> lines{"the cat sees the house", "die Katze sieht das Haus", "猫看见房子"};
  const auto model = train_vocabulary({{3, [&](int64_t i) { return lines[static_cast<size_t>(i)]; }}},
                                      {.size = 300, .byte_fallback = true});
  const TokenizerOptions options{.spm_model = folder.write("m.spm", model->serialized())};
  const Tokenizer tokenizer = find_tokenizer("flores200", options);
  EXPECT_EQ(tokenizer.signature, "flores200");
  for (const std::string& line : lines) {
    const std::string text = tokenizer(line);
    const auto words = split(text);
    EXPECT_EQ(Tokens(words.begin(), words.end()), model->pieces(line));
  }
  const auto listed = train_vocabulary({}, {.kind = VocabularyKind::byte});
  EXPECT_NE(
      refusal("spm", {.spm_model = folder.write("b.txt", listed->serialized())}).find("not a SentencePiece"),
      std::string::npos);
}

}  // namespace
}  // namespace attune::metrics
