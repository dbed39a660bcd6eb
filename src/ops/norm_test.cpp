#include <gtest/gtest.h>

#include <cmath>

#include "attune/ops.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;
using testing::OpCase;
using testing::random_tensor;

std::vector<OpCase> cases(const Shape& shape) {
  const Tensor x = random_tensor(shape, 1, 2), residual = random_tensor(shape, 2);
  const Tensor gamma = random_tensor({shape.columns()}, 3), beta = random_tensor({shape.columns()}, 4);
  const auto both = [](const ResidualNorm& r) { return add(r.sum, r.normed); };
  const Dropout dropout{0.25, Random(11)};
  return {
      {"residual layer norm, dropout, both results",
       {x, residual, gamma, beta},
       [=](auto& in) { return both(residual_norm(in[0], in[1], in[2], in[3], dropout)); }},
      {"residual layer norm, only the sum",
       {x, residual, gamma, beta},
       [=](auto& in) { return residual_norm(in[0], in[1], in[2], in[3]).sum; }},
      {"residual RMS norm",
       {x, residual, gamma},
       [=](auto& in) { return both(residual_norm(in[0], in[1], in[2], {}, dropout)); }},
  };
}

TEST(Norm, gradients) {
  for (const OpCase& op : cases({3, 6})) testing::expect_gradients(op);
}

TEST(Norm, fast_kernels_equal_the_reference) {
  for (const Shape shape : {Shape{1, 5}, {3, 17}, {0, 4}, {2, 3, 16}, {150, 33}, {70, 300}})
    for (const OpCase& op : cases(shape)) testing::expect_parity(op, 1e-4);
}

TEST(Norm, one_column_gives_beta) {
  const Tensor y =
      layer_norm(random_tensor({3, 1}, 1, 1, DType::f32), Tensor::full({1}, 2), Tensor::full({1}, 7));
  for (const float v : y.span<float>()) EXPECT_EQ(v, 7);
}

TEST(Norm, equals_its_parts) {
  const Tensor x = random_tensor({40, 96}, 1, 1, DType::f32),
               residual = random_tensor({40, 96}, 2, 1, DType::f32);
  const Tensor gamma = random_tensor({96}, 3, 1, DType::f32), beta = random_tensor({96}, 4, 1, DType::f32);
  const Dropout drop{0.1, Random(2)};
  const ResidualNorm fused = residual_norm(x, residual, gamma, beta, drop);
  const Tensor sum = add(dropout(x, drop), residual);
  expect_close(fused.sum, sum, 1e-6, "sum");
  expect_close(fused.normed, layer_norm(sum, gamma, beta), 1e-5, "normed");
}

// torch.nn.functional.layer_norm([1, 2, 4, 8], gamma [1, 2, 3, 4], beta .5), eps 1e-5
TEST(Norm, golden_value) {
  const Tensor y = layer_norm(Tensor::of<double>({4}, {1, 2, 4, 8}), Tensor::of<double>({4}, {1, 2, 3, 4}),
                              Tensor::full({4}, .5, DType::f64));
  expect_close(y,
               Tensor::of<double>(
                   {4}, {-0.5257545754961932, -0.8055058233587913, 0.7797512478625981, 6.8410282848855575}),
               1e-12, "layer_norm");
}

TEST(Norm, does_not_depend_on_the_number_of_threads) {
  testing::expect_same_for_any_threads(cases({500, 64})[0]);
}

TEST(Norm, nan_stays_in_its_row) {
  Tensor x = random_tensor({2, 8}, 1, 1, DType::f32);
  x.row<float>(0)[3] = NAN;
  const Tensor y = layer_norm(x, Tensor::full({8}, 1), Tensor::zeros({8}));
  EXPECT_TRUE(std::isnan(y.row<float>(0)[0]));
  for (const float v : y.row<float>(1)) EXPECT_TRUE(std::isfinite(v));
}

TEST(Norm, refuses_shapes_that_do_not_fit) {
  const Tensor x = Tensor::zeros({2, 8}), g = Tensor::zeros({8});
  testing::expect_error([&] { layer_norm(x, Tensor::zeros({7}), g); },
                        "layer_norm: the shape of gamma is [7], but [8] was expected");
  testing::expect_error([&] { layer_norm(x, g, Tensor()); }, "beta is undefined; rms_norm needs none");
  testing::expect_error(
      [&] {
        residual_norm(x, Tensor::zeros({3, 8}), g, g);
      },
      "the shape of the residual is [3, 8], but [2, 8] was expected");
}

}  // namespace
}  // namespace attune
