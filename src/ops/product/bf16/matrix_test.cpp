// The error of a product of rounded operands follows from the bits: each factor is off by at most 2^-8 of
// itself, so  |c_ij - sum_k a_ik b_kj| <= 2^-7 (1 + 2^-9) sum_k |a_ik b_kj|,  and a little for sums in f32.
#include "ops/product/bf16/matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "attune/threads.h"
#include "ops/kernels.h"
#include "testing/op_check.h"
#include "testing/targets.h"

namespace attune {
namespace {

using testing::random_tensor;

std::vector<Bf16Scheme> schemes_here() {
  std::vector<Bf16Scheme> all;
  for (const Bf16Scheme scheme : {Bf16Scheme::widen, Bf16Scheme::dot, Bf16Scheme::amx})
    if (has_bf16_scheme(scheme)) all.push_back(scheme);
  return all;
}

double at(MatrixOf<const float> m, int64_t row, int64_t column) {
  return m.transpose ? m.data[column * m.stride + row] : m.data[row * m.stride + column];
}

// c = before + op(a) op(b), to a share of the sum of absolute values.
void expect_product(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
                    const float* c, double share, double before = 0) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double exact = before, size = std::abs(before);
      for (int64_t l = 0; l < k; ++l) {
        exact += at(a, i, l) * at(b, l, j);
        size += std::abs(at(a, i, l) * at(b, l, j));
      }
      ASSERT_NEAR(c[i * n + j], exact, share * size + 1e-30)
          << m << " " << n << " " << k << ": " << i << " " << j;
    }
}
constexpr double kTwoRoundings = 1.01 / 128;

TEST(Bf16, rounds_to_nearest_even_and_keeps_what_is_not_finite) {
  EXPECT_EQ(BFloat16(1.f).bits, 0x3f80);
  EXPECT_EQ(BFloat16(1.f + 0x1p-8f).bits, 0x3f80);       // a tie: to even
  EXPECT_EQ(BFloat16(1.f + 0x3p-8f).bits, 0x3f82);       // a tie: to even
  EXPECT_EQ(BFloat16(1.f + 0x1.0002p-8f).bits, 0x3f81);  // above a tie
  EXPECT_EQ(BFloat16(-0.f).bits, 0x8000);
  EXPECT_TRUE(std::isinf(BFloat16(std::numeric_limits<float>::max())));
  EXPECT_TRUE(std::isinf(BFloat16(-std::numeric_limits<float>::infinity())));
  for (const uint32_t nan : {0x7f800001U, 0xffffffffU, 0x7fc00000U})
    EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::bit_cast<float>(nan)))));
  for (int bits = 0; bits < 65536; ++bits) {
    BFloat16 x;
    x.bits = static_cast<uint16_t>(bits);
    if (std::isnan(static_cast<float>(x))) continue;
    ASSERT_EQ(BFloat16(static_cast<float>(x)).bits, bits);
  }
}

TEST(Bf16, rows_are_rounded_as_single_numbers_are_on_every_cpu) {
  Tensor x = random_tensor({37, 70}, 1, 1, DType::f32);
  const auto numbers = x.span<float>();
  numbers[3] = std::numeric_limits<float>::quiet_NaN();
  numbers[4] = -std::numeric_limits<float>::infinity();
  numbers[5] = std::bit_cast<float>(0xffffffffU);
  numbers[6] = 1e-40f;
  testing::for_targets([&] {
    const Tensor rows = rounded(x),
                 turned = rounded(70, 37, MatrixOf<const float>{x.data<float>(), 70, true}),
                 back = rounded(37, 70,
                                MatrixOf<const BFloat16>{turned.data<BFloat16>(), turned.row_stride(), true});
    for (int64_t i = 0; i < 37; ++i)
      for (int64_t j = 0; j < bf16_depth(70); ++j) {
        const uint16_t expected = j < 70 ? BFloat16(x.row<float>(i)[static_cast<size_t>(j)]).bits : 0;
        ASSERT_EQ(rows.data<BFloat16>()[i * rows.row_stride() + j].bits, expected) << i << " " << j;
        ASSERT_EQ(back.data<BFloat16>()[i * back.row_stride() + j].bits, expected) << i << " " << j;
        if (j >= 70) continue;
        ASSERT_EQ(turned.data<BFloat16>()[j * turned.row_stride() + i].bits, expected);
      }
  });
}

TEST(Bf16, rows_are_rounded_in_place_and_widened_again) {
  for (const int64_t n : {1, 16, 33, 70, 200}) {
    const Tensor x = random_tensor({9, n}, 1, 1, DType::f32), room({9, std::max<int64_t>(n, 16)});
    testing::for_targets([&] {
      const Tensor there = room.view_columns(0, n);
      there.copy_from(x);
      const Tensor expected = rounded(x), rows = rounded_in_place(there), wide = in_f32(rows);
      for (int64_t i = 0; i < 9; ++i)
        for (int64_t j = 0; j < bf16_depth(n); ++j) {
          const BFloat16 number = rows.data<BFloat16>()[i * rows.row_stride() + j];
          ASSERT_EQ(number.bits, expected.data<BFloat16>()[i * expected.row_stride() + j].bits)
              << n << " " << i;
        }
      for (int64_t i = 0; i < 9; ++i)
        for (int64_t j = 0; j < n; ++j)
          ASSERT_EQ(wide.row<float>(i)[static_cast<size_t>(j)],
                    static_cast<float>(rows.data<BFloat16>()[i * rows.row_stride() + j]));
    });
  }
  testing::expect_error([] { rounded_in_place(Tensor({2, 3})); }, "cannot be rounded in place");
}

TEST(Bf16, who_keeps_the_same_numbers_shares_their_copy) {
  const Tensor x = random_tensor({5, 40}, 1, 1, DType::f32);
  Tensor copy = shared_rounded(x);
  const BFloat16* const there = copy.data<BFloat16>();
  EXPECT_EQ(shared_rounded(x).data<BFloat16>(), there);
  EXPECT_NE(shared_rounded(x.view_rows(0, 3)).data<BFloat16>(), there);
  copy = {};
  x.fill(2);  // nobody keeps it any more
  EXPECT_EQ(static_cast<float>(shared_rounded(x).row<BFloat16>(4)[39]), 2);
}

TEST(Bf16, products_are_as_exact_as_eight_bits_allow) {
  for (const Bf16Scheme scheme : schemes_here())
    for (const int64_t m : {1, 5, 16, 17, 33, 70})
      for (const int64_t n : {1, 31, 32, 65})
        for (const int64_t k : {0, 1, 33, 64, 1100})
          for (const bool turned : {false, true}) {
            SCOPED_TRACE(name(scheme));
            const Tensor a = random_tensor({m, k}, 1, 1, DType::f32),
                         b = random_tensor({k, n}, 2, 1, DType::f32);
            const MatrixOf<const float> left{a.data<float>(), k},
                right{b.data<float>(), turned ? k : n, turned};
            const Bf16Matrix form(k, n, right, scheme);
            const Tensor c = Tensor::full({m, n}, 7);
            form.multiply(m, left.data, k, c.data<float>(), n);
            expect_product(m, n, k, left, right, c.data<float>(), kTwoRoundings);
            c.fill(3);
            form.multiply(m, left.data, k, c.data<float>(), n, true);
            expect_product(m, n, k, left, right, c.data<float>(), kTwoRoundings, 3);
          }
}

TEST(Bf16, products_of_exact_numbers_are_exact_on_every_cpu_generation) {
  const int64_t m = 19, n = 45, k = 90;
  Tensor a = random_tensor({m, k}, 1, 1, DType::f32), b = random_tensor({n, k}, 2, 1, DType::f32);
  for (const Tensor& t : {a, b})
    for (float& x : t.span<float>())
      x = std::nearbyint(x * 16);  // whole numbers below 2^8: sums are exact too
  const MatrixOf<const float> left{a.data<float>(), k}, right{b.data<float>(), k, true};
  testing::for_targets([&] {
    for (const Bf16Scheme scheme : schemes_here()) {
      const Tensor c({m, n});
      Bf16Matrix(k, n, right, scheme).multiply(m, left.data, k, c.data<float>(), n);
      expect_product(m, n, k, left, right, c.data<float>(), 0);
    }
  });
}

TEST(Bf16, operands_may_be_transposed_rounded_and_views) {
  const int64_t m = 50, n = 70, k = 131;
  const Tensor a = random_tensor({k, m + 3}, 1, 1, DType::f32),
               b = random_tensor({k, n + 5}, 2, 1, DType::f32);
  const MatrixOf<const float> left{a.data<float>() + 1, m + 3, true}, right{b.data<float>() + 2, n + 5};
  const Tensor c({m, n}), d({m, n});
  bf16_gemm(m, n, k, left, right, {c.data<float>(), n});
  expect_product(m, n, k, left, right, c.data<float>(), kTwoRoundings);
  const Tensor ra = a.to(DType::bf16), rb = b.to(DType::bf16);
  bf16_gemm(m, n, k, MatrixOf<const BFloat16>{ra.data<BFloat16>() + 1, m + 3, true},
            MatrixOf<const BFloat16>{rb.data<BFloat16>() + 2, n + 5}, {d.data<float>(), n});
  EXPECT_EQ(std::memcmp(c.data<float>(), d.data<float>(), static_cast<size_t>(m * n) * sizeof(float)), 0);
}

TEST(Bf16, a_row_has_the_same_bits_among_any_number_of_rows_columns_and_threads) {
  const int64_t most = 300, n = 100, k = 1530;
  const Tensor a = random_tensor({most, k}, 1, 1, DType::f32), w = random_tensor({n, k}, 2, 1, DType::f32);
  for (const Bf16Scheme scheme : schemes_here()) {
    SCOPED_TRACE(name(scheme));
    const Bf16Matrix form(k, n, matrix_of<float>(w, 0, true), scheme);
    const Tensor all({most, n});
    form.multiply(most, a.data<float>(), k, all.data<float>(), n);
    const auto expect_rows = [&](const Tensor& some, int64_t first) {
      EXPECT_EQ(std::memcmp(some.data<float>(), all.row<float>(first).data(),
                            static_cast<size_t>(some.size()) * sizeof(float)),
                0);
    };
    for (const int64_t m : {1, 2, 7, 16, 17, 31, 32, 33, 100}) {
      const Tensor some({m, n});
      form.multiply(m, a.row<float>(most - m).data(), k, some.data<float>(), n);
      expect_rows(some, most - m);
      form.multiply(m, {0, 64}, a.row<float>(most - m).data(), k, some.data<float>(), n, false);
      form.multiply(m, {64, n}, a.row<float>(most - m).data(), k, some.data<float>(), n, false);
      expect_rows(some, most - m);
    }
    for (const int count : {1, 2, 3}) {
      const ThreadCount threads(count);
      const Tensor some({most, n});
      form.multiply_parallel(most, a.data<float>(), k, some.data<float>(), n);
      expect_rows(some, 0);
    }
  }
}

TEST(Bf16, what_is_not_finite_shows_in_its_row_only) {
  const int64_t m = 40, n = 33, k = 65;
  const Tensor a = Tensor::full({m, k}, 1), w = Tensor::full({n, k}, 1);
  a.row<float>(5)[64] = std::numeric_limits<float>::infinity();
  a.row<float>(20)[3] = std::numeric_limits<float>::quiet_NaN();
  for (const Bf16Scheme scheme : schemes_here()) {
    const Tensor c({m, n});
    Bf16Matrix(k, n, matrix_of<float>(w, 0, true), scheme)
        .multiply(m, a.data<float>(), k, c.data<float>(), n);
    for (int64_t i = 0; i < m; ++i)
      for (const float x : c.row<float>(i))
        ASSERT_TRUE(i == 5 ? std::isinf(x) : i == 20 ? std::isnan(x) : x == 65.f) << i << " " << x;
  }
}

}  // namespace
}  // namespace attune
