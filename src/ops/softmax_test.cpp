#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attune/ops.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;
using testing::random_tensor;

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Softmax, rows_sum_to_one) {
  const Tensor y = softmax(random_tensor({9, 77}, 2, 20, DType::f32));
  for (int64_t r = 0; r < y.rows(); ++r) {
    double total = 0;
    for (const float p : y.row<float>(r)) total += p;
    EXPECT_NEAR(total, 1, 1e-6);
  }
}

TEST(Softmax, is_stable_for_large_inputs) {
  expect_close(softmax(Tensor::of<float>({3}, {1e30f, 1e30f, -1e30f})),
               Tensor::of<float>({3}, {.5f, .5f, 0.f}), 1e-6, "softmax");
  expect_close(log_softmax(Tensor::of<float>({2}, {1000.f, 0.f})), Tensor::of<float>({2}, {0.f, -1000.f}),
               1e-6, "log_softmax");
}

TEST(Softmax, minus_infinity_gets_no_weight) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = Tensor::of<float>({2, 3}, {-kInf, 0, 0, -kInf, -kInf, -kInf}).to(dtype);
    expect_close(softmax(x), Tensor::of<float>({2, 3}, {0, .5f, .5f, 0, 0, 0}), 1e-6, "softmax");
    const Tensor l = log_softmax(x).to(DType::f64);
    EXPECT_EQ(l.row<double>(0)[0], -kInf);
    EXPECT_EQ(l.row<double>(1)[2], -kInf);
  }
}

TEST(Softmax, nan_makes_its_row_nan_and_no_other) {
  const Tensor y = softmax(Tensor::of<float>({2, 2}, {NAN, 1, 2, 2}));
  EXPECT_TRUE(std::isnan(y.row<float>(0)[1]));
  EXPECT_EQ(y.row<float>(1)[0], .5f);
}

TEST(Softmax, takes_the_last_of_several_dimensions) {
  const Tensor x = random_tensor({2, 3, 100}, 1, 3, DType::f32);
  expect_close(softmax(x), softmax(x.view({6, 100})).view({2, 3, 100}), 0, "softmax");
}

TEST(Softmax, views_of_columns_work) {
  const Tensor x = random_tensor({4, 12}, 3, 1, DType::f32);
  expect_close(softmax(x.view_columns(2, 9)), softmax(x.view_columns(2, 9).clone()), 0, "softmax");
}

TEST(Softmax, integers_are_refused) {
  testing::expect_error(
      [] {
        softmax(Tensor::zeros({2, 2}, DType::i32));
      },
      "softmax: f32 or f64 numbers are needed");
}

}  // namespace
}  // namespace attune
