#include "ops/pointwise/dropout.h"

#include <gtest/gtest.h>

#include <vector>

#include "testing/op_check.h"

namespace attune {
namespace {

using testing::random_tensor;

TEST(Dropout, factors_are_the_same_one_by_one_and_in_blocks) {
  const Dropout dropout{0.1, Random(3)};
  std::vector<float> factors(256);
  dropout_factors(dropout, 1L << 40, 128, 200, factors.data());
  for (int64_t c = 0; c < 200; ++c)
    EXPECT_FLOAT_EQ(factors[static_cast<size_t>(c)],
                    static_cast<float>(dropout_factor(dropout, 1L << 40, 128 + c)));
}

TEST(Dropout, zeroes_the_share_that_was_asked_for_and_keeps_the_mean) {
  const Tensor y = dropout(Tensor::full({1000, 500}, 1), {0.1, Random(9)});
  double zeros = 0, total = 0;
  for (const float x : y.span<float>()) {
    zeros += x == 0;
    total += x;
  }
  EXPECT_NEAR(zeros / 500000, 0.1, 0.002);
  EXPECT_NEAR(total / 500000, 1, 0.002);
}

TEST(Dropout, does_not_depend_on_the_number_of_threads) {
  testing::expect_same_for_any_threads({"dropout", {random_tensor({200, 300}, 1)}, [](const auto& x) {
                                          return dropout(x[0], {0.5, Random(5)});
                                        }});
}

TEST(Dropout, streams_and_rows_differ) {
  const auto zeros = [](const Dropout& d, int64_t row) {
    std::vector<bool> pattern;
    for (int64_t c = 0; c < 64; ++c) pattern.push_back(dropout_factor(d, row, c) == 0);
    return pattern;
  };
  EXPECT_NE(zeros({0.5, Random(1)}, 0), zeros({0.5, Random(2)}, 0));
  EXPECT_NE(zeros({0.5, Random(1)}, 0), zeros({0.5, Random(1)}, 1));
  EXPECT_NE(zeros({0.5, Random(1).stream(0)}, 0), zeros({0.5, Random(1).stream(1)}, 0));
}

TEST(Dropout, refuses_shares_outside_its_range) {
  testing::expect_error(
      [] {
        dropout(Tensor::zeros({2}), {1.0, Random(1)});
      },
      "dropout must be at least 0 and below 1");
  testing::expect_error([] { dropout(Tensor::zeros({2}), {-0.1, Random(1)}); }, "but is -0.1");
}

}  // namespace
}  // namespace attune
