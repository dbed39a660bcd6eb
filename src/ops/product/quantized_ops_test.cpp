// Operations with quantised weights.
#include <gtest/gtest.h>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "ops/kernels.h"
#include "ops/product/linear_rows.h"
#include "tensor/quantized.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close, testing::expect_error, testing::random_tensor;

Tensor f32(const Shape& shape, uint64_t seed) { return random_tensor(shape, seed, 1, DType::f32); }

// Results with quantised weights are close to those with the same numbers in f32 (only the input is rounded),
// and equal to those of the reference.
void expect_works(const std::function<Tensor(const std::function<Tensor(Tensor)>&)>& op, double tolerance,
                  const std::string& what) {
  const auto quantise = [](const Tensor& w) { return quantized(w); };
  const auto round = [](const Tensor& w) { return dequantized(quantized(w)); };
  const Tensor y = op(quantise);
  expect_close(y, op(round), tolerance, what);
  const ReferenceKernels reference;
  expect_close(op(quantise), y, tolerance, what + ", reference");
}

TEST(QuantizedOps, linear) {
  const Tensor x = f32({7, 40}, 1), w = f32({20, 40}, 2), b = f32({20}, 3);
  expect_works([&](auto& as) { return linear(x, as(w), b, Activation::gelu); }, 0.02, "linear");
  expect_works([&](auto& as) { return linear(x.view_columns(0, 15), as(w).view_columns(10, 25), b); }, 0.02,
               "columns of a weight");
}

TEST(QuantizedOps, embedding_gives_the_numbers_of_rows) {
  const Tensor table = quantized(f32({9, 6}, 1)), ids = Tensor::of<int32_t>({4}, {8, 0, 3, 8});
  expect_close(embedding(table, ids, 3), embedding(dequantized(table), ids, 3), 1e-6, "rows");
}

TEST(QuantizedOps, recurrence) {
  const Tensor x = f32({10, 6}, 1);
  const Rows rows{4, 0, 6};
  for (const Cell cell : {Cell::rnn, Cell::gru, Cell::lstm}) {
    const int64_t g = gates(cell) * 8;
    const Tensor w = f32({g, 6}, 2), u = f32({g, 8}, 3), b = f32({g}, 4);
    expect_works(
        [&](auto& as) {
          return recurrence(cell, x, rows, {as(w), as(u), b, b}).h;
        },
        0.1, std::string(name(cell)));
  }
}

TEST(QuantizedOps, linear_cross_entropy) {
  const Tensor x = f32({30, 40}, 1), w = f32({25, 40}, 2), b = f32({25}, 3);
  const Tensor targets = Tensor::full({30}, 4, DType::i32);
  expect_works([&](auto& as) { return linear_cross_entropy(x, as(w), b, targets, 0.1).nll; }, 0.02, "nll");
}

TEST(QuantizedOps, are_not_trained) {
  const Tensor x = leaf(f32({7, 40}, 1)), w = quantized(f32({20, 40}, 2));
  expect_error([&] { linear(x, w); }, "linear: quantised or bf16 weights cannot be trained");
  expect_error([&] { linear(x.to(DType::f64), w); },
               "f64 numbers cannot be mixed with quantised or bf16 ones");
  expect_error([&] { add(w, w); }, "add: f32 or f64 numbers are needed, but i8 were given");
}

TEST(QuantizedOps, rows_of_a_linear_layer_have_the_bits_of_the_whole) {
  const Tensor x = f32({9, 40}, 1), full = f32({200, 40}, 2), b = f32({200}, 3);
  const std::vector<int32_t> rows{0, 3, 64, 65, 130, 199};
  for (const Tensor& w : {full, quantized(full)}) {
    const Tensor some = LinearRows(w, b, rows)(x);
    std::vector<int32_t> every(200);
    for (size_t i = 0; i < every.size(); ++i) every[i] = static_cast<int32_t>(i);
    const Tensor all = LinearRows(w, b, every)(x);
    for (int64_t r = 0; r < 9; ++r)
      for (size_t i = 0; i < rows.size(); ++i)
        EXPECT_EQ(some.row<float>(r)[i], all.row<float>(r)[static_cast<size_t>(rows[i])]);
    expect_close(all, linear(x, w, b), 1e-5, "linear");
  }
  const Tensor wide = LinearRows(full.to(DType::f64), b.to(DType::f64), rows)(x.to(DType::f64));
  expect_close(wide.to(DType::f32), LinearRows(full, b, rows)(x), 1e-5, "f64");
}

}  // namespace
}  // namespace attune
