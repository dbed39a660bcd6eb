#include "decode/cut_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace attune {
namespace {

// Each letter is a token.
std::vector<int32_t> letters(const std::string& text) {
  std::vector<int32_t> tokens(text.begin(), text.end());
  std::erase(tokens, ' ');
  return tokens;
}

std::vector<std::string> cut(const std::string& text, const CutOptions& options) {
  std::vector<std::string> parts;
  for (const CutPart& part : cut_text(text, options, letters).parts) {
    parts.push_back(part.text);
    EXPECT_EQ(part.tokens, letters(part.text));
  }
  return parts;
}

using Texts = std::vector<std::string>;

TEST(CutText, leaves_what_fits) {
  EXPECT_EQ(cut("One two. Three.", {.longest = 20}), Texts{"One two. Three."});
  EXPECT_FALSE(cut_text("One two.", {.longest = 20}, letters).too_long);
  EXPECT_EQ(cut("anything", {}), Texts{"anything"});
}

TEST(CutText, cuts_at_sentences_and_keeps_together_what_fits) {
  EXPECT_EQ(cut("One two. Three. Four five.", {.longest = 13}), (Texts{"One two. Three.", "Four five."}));
  EXPECT_TRUE(cut_text("One two. Three. Four five.", {.longest = 13}, letters).too_long);
  EXPECT_EQ(cut("One two. Three.", {.longest = 20, .sentences = true}), (Texts{"One two.", "Three."}));
}

TEST(CutText, cuts_a_long_sentence_at_words_and_a_long_word_between_characters) {
  EXPECT_EQ(cut("one two three four", {.longest = 8}), (Texts{"one two", "three", "four"}));
  EXPECT_EQ(cut("abcdefgh", {.longest = 3}), (Texts{"ab", "cd", "ef", "gh"}));
  for (const std::string& part : cut(std::string(100000, 'a'), {.longest = 300}))
    EXPECT_LE(part.size(), 300u);
}

TEST(CutText, joins_with_the_spaces_of_the_source_and_none_between_chinese) {
  const std::vector<CutPart> parts{{"a", "  "}, {"b", ""}, {"c", " "}};
  EXPECT_EQ(join_outputs(parts, Texts{"X.", "Y.", "Z."}), "X.  Y. Z.");
  EXPECT_EQ(join_outputs(parts, Texts{"好。", "是。", "不。"}), "好。是。不。");
}

TEST(CutText, joins_with_blanks_all_that_is_not_chinese_or_japanese) {
  const std::vector<CutPart> parts{{"a", " "}, {"b", " "}, {"c", ""}};
  EXPECT_EQ(join_outputs(parts, Texts{"안녕하세요.", "반갑습니다", "하하"}), "안녕하세요. 반갑습니다 하하");
  EXPECT_EQ(join_outputs(parts, Texts{"So ❤\uFE0F", "Да 😀", "Ω."}), "So ❤\uFE0F Да 😀 Ω.");
}

TEST(CutText, makes_tokens_once_of_what_fits) {
  std::vector<std::string> made;
  const auto note = [&](const std::string& text) {
    made.push_back(text);
    return letters(text);
  };
  cut_text("One two. Three.", {.longest = 20, .sentences = true}, note);
  EXPECT_EQ(made, (Texts{"One two.", "Three."}));
  made.clear();
  cut_text("One two. Three.", {}, note);
  EXPECT_EQ(made, Texts{"One two. Three."});
}

TEST(CutText, does_not_cut_addresses) {
  const std::string address = "https://example.com/search?q=dogs";
  EXPECT_EQ(cut("Look. See " + address, {.longest = 60, .sentences = true}),
            (Texts{"Look.", "See " + address}));
  EXPECT_EQ(cut("one two three four " + address, {.longest = 40}), (Texts{"one two three four", address}));
}

}  // namespace
}  // namespace attune
