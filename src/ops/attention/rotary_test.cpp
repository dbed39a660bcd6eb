#include <gtest/gtest.h>

#include <cmath>

#include "attune/ops.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::random_tensor;

// cos | sin of position / base^(2 i / d)
Tensor angles(int64_t positions, int64_t d) {
  Tensor table({positions, d}, DType::f64);
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t i = 0; i < d / 2; ++i) {
      const double angle =
          static_cast<double>(p) * std::pow(10000, -2.0 * static_cast<double>(i) / static_cast<double>(d));
      table.row<double>(p)[static_cast<size_t>(i)] = std::cos(angle);
      table.row<double>(p)[static_cast<size_t>(i + d / 2)] = std::sin(angle);
    }
  return table;
}

testing::OpCase case_of(int64_t tokens, int64_t heads, int64_t d) {
  Tensor positions({tokens}, DType::i32);
  for (int64_t t = 0; t < tokens; ++t) positions.data<int32_t>()[t] = static_cast<int32_t>((5 * t) % 9);
  return {"rotary", {random_tensor({tokens, heads * d}, 1)}, [=, table = angles(9, d)](auto& x) {
            return rotary(x[0], positions, table.to(x[0].dtype()));
          }};
}

TEST(Rotary, gradients) { testing::expect_gradients(case_of(4, 2, 6)); }

TEST(Rotary, f32_equals_f64) {
  for (const int64_t d : {2, 6, 34, 64}) testing::expect_parity(case_of(31, 3, d));
}

TEST(Rotary, products_depend_on_the_distance_alone) {
  const Tensor q = random_tensor({1, 8}, 1), k = random_tensor({1, 8}, 2), table = angles(40, 8);
  const auto product = [&](int32_t i, int32_t j) {
    const Tensor a = rotary(q, Tensor::of<int32_t>({1}, {i}), table);
    const Tensor b = rotary(k, Tensor::of<int32_t>({1}, {j}), table);
    return sum(mul(a, b)).item();
  };
  EXPECT_NEAR(product(3, 1), product(39, 37), 1e-12);
  EXPECT_NEAR(product(0, 0), sum(mul(q, k)).item(), 1e-12);
  EXPECT_GT(std::abs(product(3, 1) - product(3, 2)), 1e-3);
}

TEST(Rotary, refuses_what_does_not_fit) {
  const Tensor x = random_tensor({2, 6}, 1), at = Tensor::of<int32_t>({2}, {0, 9});
  testing::expect_error([&] { rotary(x, at, angles(9, 6)); }, "position 9 is outside the table of 9");
  testing::expect_error([&] { rotary(x, at, angles(10, 4)); }, "must have the size of the table");
  testing::expect_error([&] { rotary(x, Tensor::of<int32_t>({1}, {0}), angles(9, 6)); }, "positions");
}

}  // namespace
}  // namespace attune
