#include <gtest/gtest.h>

#include <cmath>

#include "attune/ops.h"
#include "attune/threads.h"
#include "ops/kernels.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;
using testing::random_tensor;

// Three steps on f(p) = p1^2 + 2 p2^2 + 3 p3^2 from (1, -2, 0.5).
Tensor descend(double weight_decay, DType dtype) {
  const Tensor p = Tensor::of<double>({3}, {1, -2, 0.5}).to(dtype),
               factors = Tensor::of<double>({3}, {2, 4, 6}).to(dtype);
  const Tensor m = Tensor::zeros({3}, dtype), v = Tensor::zeros({3}, dtype);
  for (int64_t t = 1; t <= 3; ++t)
    adam(p, mul(p, factors), m, v, {.learning_rate = 0.1, .weight_decay = weight_decay, .step = t});
  return p;
}

// torch.optim.Adam and AdamW with betas (0.9, 0.98), eps 1e-9.
TEST(Adam, golden_values) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double tolerance = dtype == DType::f32 ? 1e-6 : 1e-12;
    expect_close(descend(0, dtype),
                 Tensor::of<double>({3}, {0.7013970355397398, -1.7005319344648753, 0.20447470977302412}),
                 tolerance, "Adam");
    expect_close(descend(0.1, dtype),
                 Tensor::of<double>({3}, {0.6748930369417729, -1.644258816517336, 0.19300043165167613}),
                 tolerance, "AdamW");
  }
}

TEST(Adam, fast_kernels_equal_the_reference) {
  for (const int64_t n : {0, 1, 15, 17, 50000}) {
    const auto run = [n](DType dtype) {
      const Tensor p = random_tensor({n}, 1).to(DType::f32).to(dtype),
                   g = random_tensor({n}, 2).to(DType::f32).to(dtype);
      const Tensor m = Tensor::zeros({n}, dtype), v = Tensor::zeros({n}, dtype);
      for (int64_t t = 1; t <= 2; ++t)
        adam(p, g, m, v, {.weight_decay = 0.01, .gradient_scale = 0.3, .step = t});
      return p;
    };
    expect_close(run(DType::f32), run(DType::f64), 1e-6, "adam");
  }
}

TEST(Adam, number_of_threads_changes_nothing) {
  const auto run = [](int count) {
    const ThreadCount threads(count);
    const Tensor p = random_tensor({100001}, 1, 1, DType::f32);
    adam(p, random_tensor({100001}, 2, 1, DType::f32), Tensor::zeros({100001}), Tensor::zeros({100001}), {});
    return p;
  };
  expect_close(run(3), run(1), 0, "adam");
}

TEST(SquaredNorm, sums_squares_whatever_the_number_of_threads) {
  const Tensor x = random_tensor({300, 1001}, 3);
  const auto norm = [](const Tensor& t, int count) {
    const ThreadCount threads(count);
    return squared_norm(t);
  };
  const Tensor narrow = x.to(DType::f32);
  EXPECT_NEAR(norm(narrow, 1) / norm(x, 1), 1, 1e-6);
  EXPECT_EQ(norm(narrow, 1), norm(narrow, 3));
  EXPECT_EQ(squared_norm(Tensor::of<float>({3}, {1, 2, 3})), 14);
  EXPECT_EQ(squared_norm(Tensor::zeros({0})), 0);
}

TEST(SquaredNorm, shows_nan_and_infinity) {
  EXPECT_TRUE(std::isnan(squared_norm(Tensor::of<float>({2}, {1, NAN}))));
  EXPECT_TRUE(std::isinf(squared_norm(Tensor::of<float>({2}, {1, INFINITY}))));
}

TEST(Adam, refuses_what_does_not_fit) {
  const Tensor a = Tensor::zeros({3}), b = Tensor::zeros({4});
  testing::expect_error([&] { adam(a, b, a, a, {}); },
                        "adam: the shape of the gradients is [4], but [3] was expected");
  testing::expect_error([&] { adam(a, a, a, a, {.step = 0}); }, "steps are counted from 1");
}

}  // namespace
}  // namespace attune
