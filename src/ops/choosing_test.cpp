#include "ops/choosing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "attune/ops.h"
#include "ops/kernels.h"
#include "testing/op_case.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;
using testing::random_tensor;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Choosing, log_of_sums_is_what_log_softmax_takes_off) {
  for (const int64_t n : {1, 3, 8, 17, 1000})
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Tensor x = random_tensor({3, n}, 1, 5, dtype), y = log_of_sums(x), l = log_softmax(x);
      for (int64_t r = 0; r < 3; ++r)
        EXPECT_NEAR(y.to(DType::f64).data<double>()[r],
                    x.to(DType::f64).row<double>(r)[0] - l.to(DType::f64).row<double>(r)[0], 1e-5);
    }
}

TEST(Choosing, log_of_sums_shows_numbers_that_are_none) {
  for (const double bad : {std::nan(""), kInfinity})
    for (const int64_t at : {0, 9, 16}) {
      const Tensor x = random_tensor({1, 17}, 1, 1, DType::f32);
      x.data<float>()[at] = static_cast<float>(bad);
      EXPECT_FALSE(std::isfinite(log_of_sums(x).item()));
    }
}

TEST(Choosing, log_of_mixture_is_the_log_of_the_mean_of_probabilities) {
  const std::vector<Tensor> x{random_tensor({2, 21}, 1, 3), random_tensor({2, 21}, 2, 3),
                              random_tensor({2, 21}, 3, 3)};
  const std::vector<double> weights{0.5, 0.3, 0.2};
  Tensor mean = Tensor::zeros({2, 21}, DType::f64);
  for (size_t m = 0; m < 3; ++m) mean = add(mean, scale(softmax(x[m]), weights[m]));
  for (double& p : mean.span<double>()) p = std::log(p);
  expect_close(log_of_mixture(x, weights), mean, 1e-12, "f64");
  const std::vector<Tensor> narrow{x[0].to(DType::f32), x[1].to(DType::f32), x[2].to(DType::f32)};
  expect_close(log_of_mixture(narrow, weights), mean, 1e-6, "f32");
  const ReferenceKernels reference;
  expect_close(log_of_mixture(narrow, weights), mean, 1e-6, "reference");
}

TEST(Choosing, a_mixture_of_equal_distributions_keeps_their_bits) {
  const Tensor x = random_tensor({2, 1001}, 1, 8, DType::f32);
  const std::vector<double> half{0.5, 0.5}, one{1};
  expect_close(log_of_mixture(std::vector{x, x}, half), log_of_mixture(std::vector{x}, one), 0, "two");
}

TEST(Choosing, a_word_that_no_model_knows_stays_impossible) {
  const Tensor x = random_tensor({1, 9}, 1, 1, DType::f32), y = random_tensor({1, 9}, 2, 1, DType::f32);
  for (const Tensor& t : {x, y}) t.data<float>()[4] = static_cast<float>(-kInfinity);
  x.data<float>()[5] = static_cast<float>(-kInfinity);
  const std::vector<double> half{0.5, 0.5};
  const Tensor mixed = log_of_mixture(std::vector{x, y}, half);
  EXPECT_EQ(mixed.data<float>()[4], static_cast<float>(-kInfinity));
  EXPECT_TRUE(std::isfinite(mixed.data<float>()[5]));
}

TEST(Choosing, largest_equals_sorting_with_the_lower_place_first) {
  for (const DType dtype : {DType::f32, DType::f64})
    for (const int64_t n : {1, 7, 8, 50, 1003}) {
      // Whole numbers, so that many are equal.
      const Tensor wide = random_tensor({1, n}, static_cast<uint64_t>(n), 3);
      for (double& v : wide.span<double>()) v = std::round(v);
      wide.data<double>()[n / 2] = -kInfinity;
      std::vector<int32_t> order(static_cast<size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, std::greater<>(), [&](int32_t i) { return wide.data<double>()[i]; });
      for (const int64_t k : {1, 2, 4, 60, 2000}) {
        const auto count = static_cast<std::ptrdiff_t>(std::min(k, n));
        EXPECT_EQ(largest(wide.to(dtype), k), std::vector(order.begin(), order.begin() + count))
            << n << " " << k;
      }
    }
}

}  // namespace
}  // namespace attune
