#include <gtest/gtest.h>

#include "attune/ops/loss.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::random_tensor;

OpCase error_case(ErrorKind kind, bool units) {
  return {"number_error", {random_tensor({5, 3}, 1)}, [kind, units](const auto& in) {
            const Tensor expected = random_tensor({5, 3}, 2).to(in[0].dtype()),
                         unit = random_tensor({5, 3}, 3).to(in[0].dtype());
            return number_error(in[0], expected, units ? unit : Tensor(), kind).loss;
          }};
}

TEST(NumberError, gradients) {
  for (const ErrorKind kind : {ErrorKind::squared, ErrorKind::absolute})
    for (const bool units : {false, true}) testing::expect_gradients(error_case(kind, units));
}

TEST(NumberError, f32_equals_f64) {
  for (const ErrorKind kind : {ErrorKind::squared, ErrorKind::absolute})
    testing::expect_parity(error_case(kind, true));
}

TEST(NumberError, is_the_mean_over_columns_summed_over_rows) {
  const Tensor numbers = Tensor::of<double>({2, 2}, {1, 2, 3, 4}),
               expected = Tensor::of<double>({2, 2}, {1, 4, 0, 5}),
               unit = Tensor::of<double>({2, 2}, {1, 1, 2, 2});
  const NumberError plain = number_error(numbers, expected, {}, ErrorKind::squared);
  EXPECT_DOUBLE_EQ(plain.loss.item(), (0 + 4) / 2. + (9 + 1) / 2.);
  EXPECT_DOUBLE_EQ(plain.absolute, (0 + 2) / 2. + (3 + 1) / 2.);
  EXPECT_EQ(plain.rows.span<double>()[1], 5);
  const NumberError scaled = number_error(numbers, expected, unit, ErrorKind::absolute);
  EXPECT_DOUBLE_EQ(scaled.loss.item(), 1 + 2 * 2.);
  EXPECT_DOUBLE_EQ(scaled.squared, 2 + 4 * 5.);
}

TEST(NumberError, refuses_other_shapes) {
  testing::expect_error(
      [] {
        number_error(random_tensor({2, 3}, 1), random_tensor({3, 2}, 1), {}, ErrorKind::squared);
      },
      "number_error: the shape of expected is [3, 2], but [2, 3] was expected");
}

}  // namespace
}  // namespace attune
