#include "look/attention_aligner.h"

#include <gtest/gtest.h>

namespace attune {
namespace {

// Tokens ▁uni code ▁text </s> are words 0 0 1, tokens ▁Uni kode 文 </s> words 0 0 1.
TEST(AttentionAligner, words_sum_what_they_get_and_average_what_they_give) {
  const std::vector<std::vector<float>> weights{
      {0.5F, 0.25F, 0.25F, 0}, {0.25F, 0, 0.25F, 0.5F}, {0, 0, 0.25F, 0.75F}, {0, 0, 0, 1}};
  const std::vector<int32_t> words{0, 0, 1};
  const auto seen = attention_of_words(weights, words, words, 2, 2);
  EXPECT_EQ(seen, (std::vector<std::vector<float>>{{0.5F, 0.25F}, {0, 0.25F}}));
}

TEST(AttentionAligner, tokens_without_a_word_take_no_part) {
  const std::vector<std::vector<float>> weights{{1, 0}, {0, 1}};
  const std::vector<int32_t> source{-1, 0}, target{0, -1};
  EXPECT_EQ(attention_of_words(weights, source, target, 1, 1), (std::vector<std::vector<float>>{{0}}));
  EXPECT_EQ(attention_of_words({}, source, target, 1, 2), (std::vector<std::vector<float>>{{0}, {0}}));
}

}  // namespace
}  // namespace attune
