#include <gtest/gtest.h>

#include "attune/ops.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::random_tensor;

OpCase matmul_case(int64_t m, int64_t n, int64_t k, bool ta, bool tb, int64_t batch = 0) {
  const auto shape = [batch](int64_t rows, int64_t columns) {
    return batch == 0 ? Shape{rows, columns} : Shape{batch, rows, columns};
  };
  return {
      "matmul",
      {random_tensor(ta ? shape(k, m) : shape(m, k), 1), random_tensor(tb ? shape(n, k) : shape(k, n), 2)},
      [ta, tb](const auto& in) { return matmul(in[0], in[1], ta, tb); }};
}

TEST(Matmul, gradients_for_all_transpositions) {
  for (const bool ta : {false, true})
    for (const bool tb : {false, true}) {
      testing::expect_gradients(matmul_case(3, 4, 2, ta, tb));
      testing::expect_gradients(matmul_case(2, 3, 4, ta, tb, 3));
    }
}

TEST(Matmul, fast_kernels_equal_the_reference) {
  for (const bool ta : {false, true})
    for (const bool tb : {false, true}) {
      for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                                    {1, 17, 33},
                                    {64, 1, 5},
                                    {37, 65, 70},
                                    {0, 3, 4},
                                    {3, 0, 4},
                                    {3, 4, 0}})
        testing::expect_parity(matmul_case(m, n, k, ta, tb));
      testing::expect_parity(matmul_case(5, 6, 7, ta, tb, 9));
    }
}

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
