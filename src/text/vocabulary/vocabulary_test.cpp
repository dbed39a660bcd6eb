#include "text/vocabulary/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "attune/error.h"
#include "testing/scratch.h"
#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

using Lines = std::vector<std::string>;
using Ids = std::vector<int32_t>;

const Lines kText = {"The quick brown fox jumps over the lazy dog.",
                     "A man in a blue shirt is standing on a ladder cleaning a window.",
                     "Two young men are outside near many bushes.",
                     "Ein Mann in einem blauen Hemd steht auf einer Leiter und putzt ein Fenster.",
                     "我们可以在没有分词器的情况下处理中文文本。",
                     "日本語の文章も、分かち書きなしで扱えます。",
                     "The the THE: 3.14 ½ ﬁne…"};

TextLines text_of(const Lines& lines) {
  return {static_cast<int64_t>(lines.size()), [lines](int64_t i) { return lines[static_cast<size_t>(i)]; }};
}

std::unique_ptr<Vocabulary> train(const VocabularyOptions& options, const Lines& text = kText) {
  return train_vocabulary({text_of(text)}, options);
}

VocabularyOptions options_of(VocabularyKind kind, int64_t size = 500) { return {.kind = kind, .size = size}; }

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

constexpr VocabularyKind kKinds[] = {VocabularyKind::unigram, VocabularyKind::bpe, VocabularyKind::word,
                                     VocabularyKind::character, VocabularyKind::byte};

TEST(Vocabulary, every_kind_gives_the_text_back_and_has_the_special_symbols) {
  for (const VocabularyKind kind : kKinds) {
    VocabularyOptions options = options_of(kind);
    options.normalisation = Normalisation::none;
    options.user_symbols = {"[MASK]", "<a,b>", "\"q\""};
    const auto vocabulary = train(options);
    SCOPED_TRACE(name_of(kind));
    EXPECT_EQ(vocabulary->kind(), kind);
    EXPECT_EQ(vocabulary->unk(), 0);
    EXPECT_EQ(vocabulary->bos(), 1);
    EXPECT_EQ(vocabulary->eos(), 2);
    EXPECT_EQ(vocabulary->piece(1), "<s>");
    EXPECT_EQ(vocabulary->id("</s>"), 2);
    EXPECT_EQ(vocabulary->id("[MASK]"), 3);
    EXPECT_EQ(vocabulary->required("<a,b>"), 4);
    EXPECT_EQ(vocabulary->id("\"q\""), 5);
    EXPECT_EQ(vocabulary->id("no such piece"), std::nullopt);
    for (const std::string& line : kText) {
      const Ids ids = vocabulary->encode(line);
      EXPECT_EQ(vocabulary->decode(ids), line);
      EXPECT_EQ(std::ranges::count(ids, 0), 0);
      Ids framed{1};
      framed.insert(framed.end(), ids.begin(), ids.end());
      framed.push_back(2);
      EXPECT_EQ(vocabulary->decode(framed), line);
    }
    EXPECT_TRUE(vocabulary->encode("").empty());
    EXPECT_EQ(vocabulary->decode({}), "");
    EXPECT_THROW(vocabulary->decode(Ids{vocabulary->size()}), Error);
    EXPECT_THROW(vocabulary->decode(Ids{-1}), Error);
    EXPECT_THROW(vocabulary->piece(vocabulary->size()), Error);
    const Ids masked = vocabulary->encode("a [MASK] of <a,b> stands");
    EXPECT_EQ(std::ranges::count(masked, 3), 1);
    EXPECT_EQ(std::ranges::count(masked, 4), 1);
    const Ids spelt = vocabulary->encode("a </s> is not the end");
    EXPECT_EQ(std::ranges::count(spelt, 2), 0) << "text does not spell special symbols";
  }
}

TEST(Vocabulary, what_was_saved_is_loaded_and_does_the_same) {
  const testing::ScratchFolder folder;
  for (const VocabularyKind kind : kKinds) {
    const auto vocabulary = train(options_of(kind));
    const std::string path = folder / "vocabulary";
    testing::put(path, vocabulary->serialized());
    const auto loaded = load_vocabulary(path);
    EXPECT_EQ(loaded->kind(), kind);
    EXPECT_EQ(loaded->serialized(), vocabulary->serialized());
    for (const std::string& line : kText) EXPECT_EQ(loaded->encode(line), vocabulary->encode(line));
  }
}

TEST(Vocabulary, training_is_deterministic) {
  for (const VocabularyKind kind : kKinds)
    EXPECT_EQ(train(options_of(kind))->serialized(), train(options_of(kind))->serialized());
}

TEST(Vocabulary, bytes_stand_in_for_characters_that_training_did_not_see) {
  VocabularyOptions options = options_of(VocabularyKind::unigram);
  const auto with = train(options);
  const std::string unseen = "smile \U0001F600 Ж";
  const Ids ids = with->encode(unseen);
  EXPECT_EQ(std::ranges::count(ids, with->unk()), 0);
  EXPECT_EQ(std::ranges::count_if(ids, [&](int32_t id) { return with->is_byte(id); }), 6);
  EXPECT_EQ(with->decode(ids), unseen);
  options.byte_fallback = false;
  options.size = 250;
  const auto without = train(options);
  EXPECT_EQ(std::ranges::count(without->encode(unseen), without->unk()), 2);
  EXPECT_EQ(without->decode(Ids{without->unk()}), " ⁇ ");
}

TEST(Vocabulary, text_is_normalised_unless_it_is_to_stay_as_it_is) {
  const auto by_default = train(options_of(VocabularyKind::unigram));
  EXPECT_EQ(by_default->decode(by_default->encode("  ﬁne…  ½ ")), "fine... 1⁄2");
  VocabularyOptions options = options_of(VocabularyKind::unigram);
  options.normalisation = Normalisation::none;
  const auto as_is = train(options);
  EXPECT_EQ(as_is->decode(as_is->encode("  ﬁne…  ½ ")), "  ﬁne…  ½ ");
  options.normalisation = Normalisation::nmt_nfkc_cf;
  const auto folded = train(options);
  EXPECT_EQ(folded->decode(folded->encode("THE Fox")), "the fox");
}

TEST(Vocabulary, characters_decode_to_exactly_what_was_encoded) {
  const Lines odd = {" leading, trailing ",        "two  blanks",    "a\ttab",
                     "▁ is not a blank",           "\\u2581 \\ \\t", "é\u0301\u200d",
                     "del\x7f c1\u0085 nbsp\u00a0"};
  const auto vocabulary = train(options_of(VocabularyKind::character), odd);
  for (const std::string& line : odd) EXPECT_EQ(vocabulary->decode(vocabulary->encode(line)), line);
  const auto loaded = parse_vocabulary(vocabulary->serialized(), "v");
  for (const std::string& line : odd) EXPECT_EQ(loaded->decode(loaded->encode(line)), line);
  EXPECT_EQ(vocabulary->pieces("a b▁"), (Lines{"a", "▁", "b", "\\u2581"}));
  EXPECT_EQ(vocabulary->decode(vocabulary->encode("aЖ")), "a⁇");
}

// Like spm_encode and spm_decode: unknown text stays readable, and is restored.
TEST(Vocabulary, pieces_of_unknown_text_join_to_it_again) {
  for (const VocabularyKind kind :
       {VocabularyKind::unigram, VocabularyKind::bpe, VocabularyKind::word, VocabularyKind::character}) {
    VocabularyOptions options = options_of(kind);
    options.byte_fallback = false;
    const auto vocabulary = train(options);
    for (const std::string text : {"the ☃ fox", "猫", "fox Ж☃Ж"}) {
      const Lines pieces = vocabulary->pieces(text);
      EXPECT_EQ(std::ranges::count(pieces, "<unk>"), 0) << name_of(kind);
      EXPECT_EQ(vocabulary->join(pieces), text) << name_of(kind);
      EXPECT_EQ(pieces.size(), vocabulary->encode(text).size()) << name_of(kind);
    }
  }
}

TEST(Vocabulary, words_are_split_at_any_white_space_and_counted) {
  VocabularyOptions options = options_of(VocabularyKind::word);
  options.min_frequency = 2;
  const auto vocabulary = train(options, {"a b\u3000c\ta", " b a\u00a0 d"});
  EXPECT_EQ(vocabulary->serialized(),
            "attune vocabulary 1 word 5\n<unk>\tspecial\n<s>\tspecial\n</s>\tspecial\na\t3\nb\t2\n");
  EXPECT_EQ(vocabulary->encode("  a\u2009x b "), (Ids{3, 0, 4}));
  EXPECT_EQ(vocabulary->decode(Ids{1, 3, 0, 4, 2}), "a <unk> b");
  options.size = 4;
  EXPECT_EQ(train(options, {"a b c a b a"})->size(), 4);
}

TEST(Vocabulary, user_symbols_are_never_split) {
  const Lines text = {"the answer is here", "answer and mask and summarize document", "<answer", "document>",
                      "x y !"};
  for (const VocabularyKind kind :
       {VocabularyKind::unigram, VocabularyKind::bpe, VocabularyKind::character}) {
    VocabularyOptions options = options_of(kind, 400);
    options.user_symbols = {"<answer>", "<summarize_document>", "<answer>!"};
    const auto vocabulary = train(options, text);
    const Ids ids = vocabulary->encode("x<answer>the<summarize_document><answer>!y");
    Ids symbols;
    std::ranges::copy_if(ids, std::back_inserter(symbols), [](int32_t id) { return id >= 3 && id < 6; });
    EXPECT_EQ(symbols, (Ids{3, 4, 5})) << name_of(kind);
    EXPECT_EQ(vocabulary->decode(ids), "x<answer>the<summarize_document><answer>!y");
  }
}

TEST(Vocabulary, small_texts_give_what_they_have_unless_the_size_must_be_exact) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe}) {
    VocabularyOptions options = options_of(kind, 8000);
    EXPECT_LT(train(options)->size(), 800);
    for (const Lines& tiny :
         {Lines{"a"}, Lines{"a", "", "  "}, Lines{"aa aa"}, Lines{"我"}, Lines{"ab ba abab"}}) {
      const auto vocabulary = train(options, tiny);
      EXPECT_EQ(vocabulary->decode(vocabulary->encode(tiny[0])), tiny[0]);
    }
    options.exact_size = true;
    EXPECT_TRUE(
        refusal([&] { train(options); }).starts_with("size: this text cannot give 8000 tokens, only up to "))
        << refusal([&] { train(options); });
    EXPECT_EQ(train(options_of(kind, 370))->size(), 370);
  }
}

TEST(Vocabulary, an_alphabet_too_large_for_the_size_is_covered_in_part) {
  Lines text(200, "the quick brown fox");
  text.push_back("我们可以在没有分词器的情况下处理中文文本。日本語の文章も、分かち書きなしで扱えます。");
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe}) {
    const auto vocabulary = train(options_of(kind, 300), text);
    EXPECT_TRUE(vocabulary->id("x"));
    EXPECT_FALSE(vocabulary->id("章"));
    EXPECT_EQ(vocabulary->decode(vocabulary->encode("日本語の文章")), "日本語の文章");
  }
}

TEST(Vocabulary, says_what_cannot_be_made) {
  VocabularyOptions options = options_of(VocabularyKind::unigram, 60);
  options.byte_fallback = false;
  const std::string too_small = refusal([&] { train(options); });
  EXPECT_TRUE(
      too_small.starts_with("size: 60 is too small: the characters of this text and the special symbols "
                            "alone need "))
      << too_small;
  EXPECT_EQ(
      refusal([&] { train(options_of(VocabularyKind::bpe, 100)); }),
      "a vocabulary of 100 tokens is too small: special and user symbols and the 256 bytes alone need 259");
  options.character_coverage = 0.5;
  EXPECT_EQ(refusal([&] { train(options); }),
            "character-coverage: must be 0.98 to 1, or 0 for automatic, but is 0.5");
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe})
    EXPECT_EQ(refusal([&] {
                train(options_of(kind), {"", " \t ", "▁\u00ad▅\u200b"});
              }),
              "the text for the vocabulary is empty");
  for (const char* symbol : {"", "a b", "<s>", "\xFF", "▁x"}) {
    options.user_symbols = {symbol};
    EXPECT_TRUE(refusal([&] { train(options); }).starts_with("user symbols: ")) << symbol;
  }
  EXPECT_EQ(refusal([&] { train(options_of(VocabularyKind::word))->required("[MASK]"); }),
            "the vocabulary has no symbol '[MASK]'; make it with `attune vocab --user-symbols '[MASK]'`");
}

TEST(Vocabulary, lines_are_chosen_when_there_are_too_many) {
  VocabularyOptions options = options_of(VocabularyKind::bpe, 320);
  options.sentences = 10;
  int64_t read = 0;
  const TextLines many{1000, [&](int64_t i) {
                         ++read;
                         return "line " + std::to_string(i);
                       }};
  const auto first = train_vocabulary({many}, options);
  EXPECT_EQ(read, 1010);  // all to survey them, ten to learn from
  EXPECT_EQ(first->serialized(), train_vocabulary({many}, options)->serialized());
  options.seed = 2;
  EXPECT_NE(first->serialized(), train_vocabulary({many}, options)->serialized());
}

TEST(Vocabulary, very_long_lines_are_learnt_from_too) {
  std::string line;
  for (int i = 0; i < 3000; ++i) line += i % 3 == 0 ? "abcabc " : "我们";
  const auto vocabulary = train(options_of(VocabularyKind::bpe, 300), {line});
  EXPECT_TRUE(vocabulary->id("▁abcabc"));
}

TEST(Vocabulary, may_be_used_from_several_threads) {
  for (const VocabularyKind kind : kKinds) {
    const auto vocabulary = train(options_of(kind));
    const Ids expected = vocabulary->encode(kText[1]);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) EXPECT_EQ(vocabulary->encode(kText[1]), expected);
      });
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(Vocabulary, bytes_hold_any_text) {
  const auto vocabulary = train(options_of(VocabularyKind::byte), {});
  EXPECT_EQ(vocabulary->size(), 3 + 256);
  std::string every;  // code points of all lengths, control characters, white space
  for (const char* part : {"\t\r\n \u00A0", "Aé", "天▁⁇", "😀\U0010FFFF", "<unk></s><0xE4>"}) every += part;
  every.push_back('\0');
  const Ids ids = vocabulary->encode(every);
  EXPECT_EQ(ids.size(), every.size());
  for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(vocabulary->byte(ids[i]), static_cast<uint8_t>(every[i]));
  EXPECT_EQ(vocabulary->decode(ids), every);
  EXPECT_EQ(vocabulary->pieces("a 天"), (Lines{"a", "▁", "<0xE5>", "<0xA4>", "<0xA9>"}));
  EXPECT_EQ(vocabulary->join({"a", "▁", "<0xE5>", "<0xA4>", "<0xA9>"}), "a 天");
  EXPECT_EQ(vocabulary->begins("天a"), (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(vocabulary->byte(vocabulary->eos()), std::nullopt);
}

TEST(Vocabulary, bytes_that_make_no_character_are_replaced) {
  const auto vocabulary = train(options_of(VocabularyKind::byte), {});
  const Ids ids = vocabulary->encode("a天b");
  EXPECT_EQ(vocabulary->decode(std::span(ids).first(3)), "a\uFFFD");
  EXPECT_EQ(vocabulary->decode(std::span(ids).last(2)), "\uFFFDb");
}

TEST(Vocabulary, a_byte_file_has_all_bytes_in_their_order) {
  const auto vocabulary = train_vocabulary({}, {.kind = VocabularyKind::byte, .user_symbols = {"[MASK]"}});
  std::string content = vocabulary->serialized();
  EXPECT_EQ(content.substr(0, content.find('\n')), "attune vocabulary 1 byte 260");
  EXPECT_EQ(parse_vocabulary(content, "v")->encode("[MASK]é"), vocabulary->encode("[MASK]é"));
  EXPECT_EQ(vocabulary->encode("[MASK]é"), (Ids{3, 4 + 0xC3, 4 + 0xA9}));
  std::swap(content[content.find("\nA\t") + 1], content[content.find("\nB\t") + 1]);
  EXPECT_NE(refusal([&] { parse_vocabulary(content, "v"); }).find("256 bytes"), std::string::npos);
}

TEST(Vocabulary, line_breaks_can_be_tokens) {
  const std::string verse = "床前明月光\n疑是地上霜\nAnd now a line";
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe}) {
    VocabularyOptions options = options_of(kind);
    options.line_breaks = true;
    const auto vocabulary = train(options, {verse, kText[0], kText[1]});
    EXPECT_EQ(vocabulary->decode(vocabulary->encode(verse)), verse) << name_of(kind);
    EXPECT_TRUE(vocabulary->id("\n")) << name_of(kind);
    options.line_breaks = false;
    const auto without = train(options, {verse, kText[0], kText[1]});
    EXPECT_EQ(without->decode(without->encode("a\nb")), "a b") << name_of(kind);
  }
}

}  // namespace
}  // namespace attune
