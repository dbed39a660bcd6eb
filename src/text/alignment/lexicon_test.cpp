#include "text/alignment/lexicon.h"

#include <gtest/gtest.h>

namespace attune {
namespace {

// das = 0, Haus = 1, Buch = 2, ein = 3; the = 0, house = 1, book = 2, a = 3
const std::vector<SentencePair> kPairs{{{0, 1}, {0, 1}}, {{0, 2}, {0, 2}}, {{3, 2}, {3, 2}}};

TEST(Lexicon, finds_what_belongs_together) {
  const auto words = lexicon(kPairs, 5, 2, 20);
  ASSERT_EQ(words.size(), 5U);
  for (int32_t word = 0; word < 4; ++word) {
    ASSERT_EQ(words[static_cast<size_t>(word)].size(), 2U);
    EXPECT_EQ(words[static_cast<size_t>(word)][0].word, word);
    EXPECT_GT(words[static_cast<size_t>(word)][0].p, 0.6);
  }
  EXPECT_TRUE(words[4].empty()) << "it does not occur";
}

// One step from equal probabilities: each target word gives a third of itself to both source words and the
// empty one. das occurs opposite the (twice), house and book: counts 2/3, 1/3, 1/3.
TEST(Lexicon, first_step_by_hand) {
  const auto words = lexicon(kPairs, 4, 10, 1);
  ASSERT_EQ(words[0].size(), 3U);
  EXPECT_EQ(words[0][0].word, 0);
  EXPECT_FLOAT_EQ(words[0][0].p, 0.5F);
  EXPECT_EQ(words[0][1].word, 1);
  EXPECT_FLOAT_EQ(words[0][1].p, 0.25F);
  EXPECT_FLOAT_EQ(words[0][2].p, 0.25F);
}

TEST(Lexicon, of_many_words_keeps_the_best) {
  std::vector<SentencePair> pairs;
  for (int32_t i = 0; i < 5000; ++i) pairs.push_back({{0}, {i % 1500, 7}});
  const auto words = lexicon(pairs, 1, 1);
  ASSERT_EQ(words[0].size(), 1U);
  EXPECT_EQ(words[0][0].word, 7);
}

}  // namespace
}  // namespace attune
