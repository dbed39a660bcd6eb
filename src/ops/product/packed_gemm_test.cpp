#include "ops/product/packed_gemm.h"

#include <gtest/gtest.h>

#include "attune/threads.h"
#include "ops/kernels.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::random_tensor;

Tensor product(int64_t m, int64_t n, int64_t k, const Tensor& a, const Tensor& b, bool transpose) {
  Tensor c({m, n});
  gemm(m, n, k, {a.data<float>(), k}, {b.data<float>(), transpose ? k : n, transpose}, {c.data<float>(), n});
  return c;
}

TEST(PackedGemm, equals_the_reference_product) {
  for (const int64_t m : {1, 5, 6, 7, 64, 61})
    for (const int64_t n : {1, 15, 64, 65, 200})
      for (const int64_t k : {0, 1, 33, 300})
        for (const bool transpose : {false, true}) {
          const Tensor a = random_tensor({m, k}, 1, 1, DType::f32),
                       b = random_tensor({k, n}, 2, 1, DType::f32);
          const PackedMatrix packed(k, n, {b.data<float>(), transpose ? k : n, transpose});
          Tensor c({m, n});
          packed.multiply(m, a.data<float>(), k, c.data<float>(), n);
          const ReferenceKernels reference;
          const Tensor expected = product(m, n, k, a, b, transpose);
          testing::expect_close(c, expected, 1e-5, "packed product");
          packed.multiply(m, a.data<float>(), k, c.data<float>(), n, true);
          for (float& x : expected.span<float>()) x *= 2;
          testing::expect_close(c, expected, 1e-5, "accumulated product");
        }
}

TEST(PackedGemm, takes_any_operands) {
  for (const auto& [m, n, k] :
       {std::tuple{1, 1, 1}, {7, 65, 33}, {100, 3, 40}, {40, 200, 300}, {2, 70, 600}, {150, 20, 600}})
    for (const bool transpose_a : {false, true})
      for (const bool transpose_b : {false, true})
        for (const auto& [alpha, beta] : {std::pair{1.f, 0.f}, {1.f, 1.f}, {0.5f, 0.f}, {-2.f, 0.25f}}) {
          const int64_t a_stride = (transpose_a ? m : k) + 3, b_stride = (transpose_b ? k : n) + 5;
          const Tensor a = random_tensor({transpose_a ? k : m, a_stride}, 1, 1, DType::f32),
                       b = random_tensor({transpose_b ? n : k, b_stride}, 2, 1, DType::f32),
                       c = random_tensor({m, n + 1}, 3, 1, DType::f32), expected = c.clone();
          const MatrixOf<const float> from_a{a.data<float>(), a_stride, transpose_a},
              from_b{b.data<float>(), b_stride, transpose_b};
          packed_gemm(m, n, k, from_a, from_b, {c.data<float>(), n + 1}, alpha, beta);
          const ReferenceKernels reference;
          gemm(m, n, k, from_a, from_b, {expected.data<float>(), n + 1}, alpha, beta);
          testing::expect_close(c, expected, 1e-5, "packed product of any operands");
        }
}

Tensor product_with_threads(int count, int64_t m, int64_t n, int64_t k, bool transpose_a, bool transpose_b) {
  const Tensor a = random_tensor({m, k}, 1, 1, DType::f32), b = random_tensor({k, n}, 2, 1, DType::f32);
  const ThreadCount threads(count);
  Tensor c({m, n});
  gemm(m, n, k, {a.data<float>(), transpose_a ? m : k, transpose_a},
       {b.data<float>(), transpose_b ? k : n, transpose_b}, {c.data<float>(), n});
  return c;
}

// By oneDNN or by our own code: what multiplies on this CPU.
TEST(Gemm, threads_change_no_bit) {
  for (const auto& [m, n, k] :
       {std::tuple{128, 8, 40}, {256, 64, 1500}, {500, 256, 300}, {300, 700, 64}, {64, 500, 256}})
    for (const bool transpose_a : {false, true})
      for (const bool transpose_b : {false, true}) {
        const Tensor one = product_with_threads(1, m, n, k, transpose_a, transpose_b);
        for (const int count : {2, 3, 5})
          testing::expect_close(product_with_threads(count, m, n, k, transpose_a, transpose_b), one, 0,
                                "more threads");
      }
}

TEST(PackedGemm, a_row_does_not_depend_on_its_neighbours) {
  const int64_t m = 70, n = 100, k = 530;
  const Tensor a = random_tensor({m, k}, 1, 1, DType::f32), b = random_tensor({k, n}, 2, 1, DType::f32);
  const PackedMatrix packed(k, n, {b.data<float>(), n, false});
  Tensor all({m, n});
  packed.multiply(m, a.data<float>(), k, all.data<float>(), n);
  for (int64_t count : {1, 2, 5, 13}) {
    Tensor part({count, n});
    packed.multiply(count, a.data<float>() + 31 * k, k, part.data<float>(), n);
    testing::expect_close(part, all.view_rows(31, 31 + count), 0, "rows 31.. alone");
  }
}

}  // namespace
}  // namespace attune
