#include "nn/convolution.h"

#include <gtest/gtest.h>

#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;

Tensor column(const std::vector<double>& numbers) {
  return Tensor::of<double>({static_cast<int64_t>(numbers.size()), 1}, numbers);
}

TEST(Neighbours, stand_side_by_side_with_zeros_beyond_the_ends_of_sentences) {
  const Tensor x = column({1, 2, 3, 7, 8});
  expect_close(neighbours(x, Rows{3, 2}, 3, 1),
               Tensor::of<double>({5, 3}, {0, 1, 2, 1, 2, 3, 2, 3, 0, 0, 7, 8, 7, 8, 0}), 0, "both sides");
  expect_close(neighbours(x, Rows{3, 2}, 3, 0),
               Tensor::of<double>({5, 3}, {0, 0, 1, 0, 1, 2, 1, 2, 3, 0, 0, 7, 0, 7, 8}), 0, "before");
}

TEST(Neighbours, token_by_token_as_all_at_once) {
  const Tensor x = column({1, 2, 3, 4, 5});
  Tensor before, all[5];
  for (int64_t t = 0; t < 5; ++t) {
    const Tensor one = x.view_rows(t, t + 1);
    all[t] = neighbours(one, Rows{1}, 3, 0, before);
    before = last_rows(one, Rows{1}, 2, before);
  }
  expect_close(concat_rows(all), neighbours(x, Rows{5}, 3, 0), 0, "steps");
}

TEST(LastRows, of_short_sentences_begin_with_what_was_before) {
  const Tensor before = column({1, 2, 3, 4});
  expect_close(last_rows(column({9, 7, 8}), Rows{1, 2}, 2, before), column({2, 9, 7, 8}), 0, "with before");
  expect_close(last_rows(column({9, 7, 8}), Rows{1, 2}, 2), column({0, 9, 7, 8}), 0, "without");
}

TEST(Neighbours, have_gradients) {
  testing::expect_gradients({"neighbours", {testing::random_tensor({6, 2}, 1)}, [](const auto& in) {
                               return neighbours(in[0], Rows{4, 2}, 3, 1);
                             }});
}

}  // namespace
}  // namespace attune
