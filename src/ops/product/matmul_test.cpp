#include <gtest/gtest.h>

#include "attune/ops.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::random_tensor;

TEST(Matmul, multiplies) {
  const Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4}), b = Tensor::of<float>({2, 2}, {5, 6, 7, 8});
  testing::expect_close(matmul(a, b), Tensor::of<float>({2, 2}, {19, 22, 43, 50}), 0, "a b");
  testing::expect_close(matmul(a, b, true), Tensor::of<float>({2, 2}, {26, 30, 38, 44}), 0, "a^T b");
}

TEST(Matmul, views_of_columns_work) {
  const Tensor a = random_tensor({5, 12}, 1, 1, DType::f32), b = random_tensor({4, 3}, 2, 1, DType::f32);
  testing::expect_close(matmul(a.view_columns(3, 7), b), matmul(a.view_columns(3, 7).clone(), b), 1e-6,
                        "view");
}

TEST(Matmul, refuses_shapes_that_do_not_fit) {
  const auto zeros = [](const Shape& shape) { return Tensor::zeros(shape); };
  testing::expect_error(
      [&] {
        matmul(zeros({2, 3}), zeros({2, 3}));
      },
      "matmul: [2, 3] and [2, 3] cannot be multiplied: the inner sizes differ");
  testing::expect_error([&] { matmul(zeros({2, 3}), zeros({3})); }, "neither two matrices");
  testing::expect_error([&] { matmul(zeros({2, 2, 3}), zeros({3, 3, 2})); }, "neither two matrices");
  testing::expect_error([&] { matmul(zeros({2, 3}), Tensor::zeros({3, 2}, DType::f64)); }, "cannot be mixed");
  testing::expect_error([&] { matmul(zeros({2, 3}), Tensor()); }, "matmul: a tensor is undefined");
}

}  // namespace
}  // namespace attune
