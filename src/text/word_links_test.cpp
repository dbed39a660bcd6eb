#include "text/word_links.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {
namespace {

using Numbers = std::vector<int32_t>;

std::unique_ptr<Vocabulary> vocabulary(const VocabularyOptions& options) {
  const std::string line = "the houses are on the hill, 二〇二六年 the house is on hills";
  return train_vocabulary({TextLines{200, [line](int64_t) { return line; }}}, options);
}

TEST(WordLinks, are_read_as_pharaoh_wrote_them) {
  const auto link = read_link("12-3");
  ASSERT_TRUE(link);
  EXPECT_EQ(link->source, 12);
  EXPECT_EQ(link->target, 3);
  EXPECT_TRUE(link->sure);
  EXPECT_FALSE(read_link("2p1")->sure);
  for (const char* bad : {"", "3", "3-", "-4", "3-4-5", "3:4", "a-b", "3--4", "99999999999-1", " 3-4"})
    EXPECT_FALSE(read_link(bad)) << bad;
}

TEST(WordLinks, words_stand_between_blanks) {
  using Words = std::vector<std::string_view>;
  EXPECT_EQ(blank_separated("  a bc\td  "), (Words{"a", "bc", "d"}));
  EXPECT_EQ(blank_separated("10\u00a0000 m"), (Words{"10\u00a0000", "m"}));  // one word to aligners
  EXPECT_EQ(blank_separated(" \t "), Words{});
}

TEST(WordLinks, tokens_of_words_and_characters_belong_to_words) {
  const auto words = vocabulary({.kind = VocabularyKind::word});
  EXPECT_EQ(words_of_tokens(*words, " the  house unheard\tof "), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(words_of_tokens(*words, "10\u00a0000 m"), (Numbers{0, 0, 1}));
  const auto characters = vocabulary({.kind = VocabularyKind::character});
  EXPECT_EQ(words_of_tokens(*characters, "is 二六 "), (Numbers{0, 0, 1, 1, 1, -1}));
}

TEST(WordLinks, pieces_belong_to_the_word_that_they_are_cut_from) {
  for (const VocabularyKind kind : {VocabularyKind::unigram, VocabularyKind::bpe}) {
    const auto pieces = vocabulary({.kind = kind, .size = 320});
    // Several spaces become one, ´ becomes a space and an accent (NFKC), and 龍 becomes bytes.
    for (const std::string text : {"the hill houses", "  the   hills  ", "is\u3000on houses, 二〇二六年 the",
                                   "a ´b c", "on 龍 the 龍houses"}) {
      const auto ids = pieces->encode(text);
      const auto numbers = words_of_tokens(*pieces, text);
      ASSERT_EQ(numbers.size(), ids.size()) << text;
      EXPECT_TRUE(std::ranges::is_sorted(numbers)) << text;
      const auto words = blank_separated(text);
      for (size_t w = 0; w < words.size(); ++w) {
        // The tokens of a word are the same as when it is encoded alone.
        std::vector<int32_t> own;
        for (size_t i = 0; i < ids.size(); ++i)
          if (numbers[i] == static_cast<int32_t>(w)) own.push_back(ids[i]);
        EXPECT_EQ(pieces->decode(own), pieces->decode(pieces->encode(words[w]))) << text << ": " << words[w];
      }
    }
  }
}

}  // namespace
}  // namespace attune
