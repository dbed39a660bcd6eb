#include "tensor/quantized.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close, testing::expect_error, testing::random_tensor;

TEST(Quantized, numbers_are_at_most_half_a_step_away) {
  const Tensor x = random_tensor({9, 30}, 1, 1, DType::f32), q = quantized(x), y = dequantized(q);
  const auto scales = row_scales(q);
  for (int64_t r = 0; r < x.rows(); ++r) {
    float most = 0;
    for (size_t i = 0; i < 30; ++i) {
      EXPECT_LE(std::abs(x.row<float>(r)[i] - y.row<float>(r)[i]), 0.5001F * scales[static_cast<size_t>(r)]);
      most = std::max(most, std::abs(x.row<float>(r)[i]));
    }
    EXPECT_EQ(scales[static_cast<size_t>(r)], most / 127);
  }
}

TEST(Quantized, by_hand) {
  const Tensor q = quantized(Tensor::of<float>({3, 2}, {2, -1, 0, 0, -1e-39F, 1e-40F}));
  EXPECT_EQ(q.data<int8_t>()[0], 127);
  EXPECT_EQ(q.data<int8_t>()[1], -64);  // -63.5, to even
  EXPECT_EQ(dequantized(q).row<float>(1)[0], 0);
  EXPECT_LE(std::abs(q.data<int8_t>()[4]), 127) << "the scale of such numbers is not exact";
}

TEST(Quantized, views_keep_the_scales_of_their_rows) {
  const Tensor q = quantized(random_tensor({6, 8}, 1, 1, DType::f32)), all = dequantized(q);
  expect_close(dequantized(q.view_rows(2, 5)), all.view_rows(2, 5), 0, "rows");
  expect_close(dequantized(q.view_columns(3, 7)), all.view_columns(3, 7), 0, "columns");
  expect_close(dequantized(q.view_rows(5, 6).view_columns(7, 8)), all.view_rows(5, 6).view_columns(7, 8), 0,
               "both");
}

TEST(Quantized, parameters_are_copies_of_which_the_matrices_have_8_bits) {
  auto full = std::make_unique<Parameters>();
  full->add("w", {2, 3}, [](const Tensor& w) { w.fill(2); });
  full->add("b", {3}, [](const Tensor& b) { b.fill(3); });
  Parameters small(quantized(*full));
  full.reset();
  expect_close(dequantized(small.add("w", {2, 3})), Tensor::full({2, 3}, 2), 1e-6, "matrix");
  EXPECT_TRUE(any_narrow(small));
  expect_close(small.add("b", {3}), Tensor::full({3}, 3), 0, "vector");
  expect_error([&] { small.add("c", {3}); }, "the parameter 'c' does not exist");
}

TEST(Quantized, what_is_no_matrix_of_finite_numbers_is_refused) {
  expect_error(
      [] {
        quantized(Tensor::full({2, 2}, std::nan("")));
      },
      "row 0 has a number that is not finite");
  expect_error([] { quantized(Tensor::full({2}, 1)); }, "a matrix of f32 numbers is needed");
  expect_error(
      [] {
        quantized(Tensor::zeros({2, 2}, DType::i8), Tensor::full({3}, 1));
      },
      "is not a quantised matrix");
  expect_error([] { row_scales(Tensor::zeros({2, 2}, DType::i8)); }, "not quantised");
}

}  // namespace
}  // namespace attune
