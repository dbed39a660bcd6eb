#include "decode/search/cross_lens.h"

#include <gtest/gtest.h>

namespace attune {
namespace {

using Weights = std::vector<std::vector<float>>;

// Two sentences: one with two queries over two keys, one with one query over three; two heads.
CrossLens seen() {
  CrossLens lens;
  const Rows queries(std::vector<int64_t>{2, 1}), keys(std::vector<int64_t>{2, 3});
  lens.attention({AttentionName::decoder, 0, AttentionName::cross},
                 Tensor::of<float>({14}, {1, 0, 0.5F, 0.5F, 0, 1, 0.25F, 0.75F, 1, 0, 0, 0, 0.5F, 0.5F}),
                 queries, keys, 2);
  lens.attention({AttentionName::decoder, 0, AttentionName::self}, Tensor::of<float>({1}, {1}),
                 Rows(std::vector<int64_t>{1}), Rows(std::vector<int64_t>{1}), 1);
  return lens;
}

TEST(CrossLens, keeps_every_head_and_their_mean) {
  const CrossLens lens = seen();
  EXPECT_EQ(lens.layers(), 1);
  EXPECT_EQ(lens.heads(0), 2);
  EXPECT_EQ(lens.of_head(0, 0), (Weights{{1, 0}, {0.5F, 0.5F}, {1, 0, 0}}));
  EXPECT_EQ(lens.of_head(0, 1), (Weights{{0, 1}, {0.25F, 0.75F}, {0, 0.5F, 0.5F}}));
  EXPECT_EQ(lens.mean_of_heads(-2), (Weights{{0.5F, 0.5F}, {0.375F, 0.625F}, {0.5F, 0.25F, 0.25F}}));
}

TEST(CrossLens, layers_count_from_the_end_and_the_nearest_is_taken) {
  CrossLens lens = seen();
  const Rows one(std::vector<int64_t>{1});
  for (int64_t i = 1; i < 4; ++i)
    lens.attention({AttentionName::decoder, i, AttentionName::cross}, Tensor::of<float>({1}, {1}), one, one,
                   1);
  EXPECT_EQ(lens.nearest(-1), 3);
  EXPECT_EQ(lens.nearest(-2), 2);
  EXPECT_EQ(lens.nearest(-9), 0);
  EXPECT_EQ(lens.nearest(9), 3);
}

}  // namespace
}  // namespace attune
