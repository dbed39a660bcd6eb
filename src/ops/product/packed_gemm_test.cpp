#include "ops/product/packed_gemm.h"

#include <gtest/gtest.h>

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
