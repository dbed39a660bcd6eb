#include "ops/product/int8/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "attune/threads.h"
#include "ops/product/int8/plain.h"
#include "ops/product/packed_gemm.h"
#include "tensor/quantized.h"
#include "testing/op_check.h"
#include "testing/targets.h"

namespace attune {
namespace {

using testing::expect_close, testing::expect_error, testing::random_tensor;

Tensor f32(const Shape& shape, uint64_t seed) { return random_tensor(shape, seed, 1, DType::f32); }

Tensor product(const ProductForm& form, const Tensor& a, double before = 0) {
  const Tensor c = Tensor::full({a.rows(), form.n()}, before);
  form.multiply(a.rows(), a.data<float>(), a.row_stride(), c.data<float>(), form.n(), before != 0);
  return c;
}

// The same bits, NaN included.
bool same(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data<float>(), b.data<float>(), 4 * a.span<float>().size()) == 0;
}

// Calls body(scheme) for each way to compute, on every CPU generation.
void for_schemes(const std::function<void(Int8Scheme)>& body) {
  testing::for_targets([&] {
    body(Int8Scheme::words);
    if (fastest_int8_scheme() != Int8Scheme::words) body(fastest_int8_scheme());
  });
}

TEST(Int8Gemm, has_the_bits_of_plain_loops_on_every_cpu) {
  for_schemes([](Int8Scheme scheme) {
    for (const int64_t n : {1, 15, 64, 65, 130})
      for (const int64_t k : {1, 3, 8, 33, 260}) {
        const Tensor w = quantized(f32({n, k}, 2));
        const Int8Matrix form(w, scheme);
        const PlainInt8Matrix plain(w);
        for (const int64_t m : {1, 2, 3, 6, 7, 80}) {
          const Tensor a = f32({m, k}, 1);
          ASSERT_TRUE(same(product(form, a), product(plain, a))) << m << " " << k << " " << n;
          expect_close(product(form, a, 1), product(plain, a, 1), 1e-6, "accumulated");
        }
      }
  });
}

TEST(Int8Gemm, is_near_the_product_in_f32) {
  const Tensor a = f32({20, 300}, 1), w = f32({70, 300}, 2);
  const PackedMatrix full(300, 70, {w.data<float>(), 300, true});
  expect_close(product(Int8Matrix(quantized(w)), a), product(full, a), 0.01, "product");
}

// The largest possible sums: no step may saturate or wrap.
TEST(Int8Gemm, the_largest_numbers_do_not_overflow) {
  for_schemes([](Int8Scheme scheme) {
    for (const int64_t k : {2, 4, 2048, 65536})
      for (const float sign : {1.F, -1.F}) {
        const Tensor a = Tensor::full({2, k}, 127), w = Tensor::full({3, k}, sign * 127);
        const Tensor c = product(Int8Matrix(quantized(w), scheme), a);
        for (const float x : c.span<float>()) EXPECT_EQ(x, sign * 127 * 127 * static_cast<float>(k)) << k;
      }
    const Tensor least = quantized(Tensor::full({1, 64}, -128, DType::i8), Tensor::full({1}, 1));
    const Tensor c = product(Int8Matrix(least, scheme), Tensor::full({1, 64}, 127));
    EXPECT_EQ(c.item(), -128. * 127 * 64) << "a file may have -128";
  });
  expect_error([] { Int8Matrix(quantized(Tensor::full({1, 65537}, 1))); }, "a sum of 65537 numbers");
}

TEST(Int8Gemm, rows_of_zeros_and_tiny_numbers_give_zeros_and_what_is_not_finite_gives_nan) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor w = quantized(f32({5, 20}, 1));
  for_schemes([&](Int8Scheme scheme) {
    const Tensor a = f32({6, 20}, 2);
    a.view_rows(0, 1).fill(0);
    a.view_rows(1, 2).fill(1e-40);
    a.row<float>(2)[19] = inf;
    a.row<float>(3)[7] = -inf;
    a.row<float>(4)[0] = std::nanf("");
    const Int8Matrix form(w, scheme);
    const Tensor c = product(form, a);
    for (const float x : c.view_rows(0, 2).span<float>()) EXPECT_EQ(x, 0);
    for (const float x : c.view_rows(2, 5).span<float>()) EXPECT_TRUE(std::isnan(x));
    EXPECT_TRUE(same(c.view_rows(5, 6).clone(), product(form, a.view_rows(5, 6)))) << "neighbours";
  });
}

TEST(Int8Gemm, a_row_has_the_same_bits_among_any_rows_in_any_columns_for_any_threads) {
  const int64_t m = 200, n = 150, k = 70;
  const Tensor a = f32({m, k}, 1), w = quantized(f32({n, k}, 2));
  for_schemes([&](Int8Scheme scheme) {
    const Int8Matrix form(w, scheme);
    const Tensor all = product(form, a);
    for (const int64_t count : {1, 2, 5, 73, 199})
      ASSERT_TRUE(same(product(form, a.view_rows(m - count, m)), all.view_rows(m - count, m).clone()));
    const Tensor parts({m, n});
    const int64_t middle = form.panel_width();
    for (const ColumnRange columns : {ColumnRange{0, std::min(middle, n)}, {std::min(middle, n), n}})
      form.multiply(m, columns, a.data<float>(), k, parts.data<float>(), n, false);
    ASSERT_TRUE(same(parts, all));
  });
  const Int8Matrix form(w);
  const Tensor all = product(form, a), threaded({m, n});
  const ThreadCount three(3);
  form.multiply_parallel(m, a.data<float>(), k, threaded.data<float>(), n);
  EXPECT_TRUE(same(threaded, all));
}

}  // namespace
}  // namespace attune
