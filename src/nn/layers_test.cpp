#include "nn/layers.h"

#include <gtest/gtest.h>

#include "attune/autograd.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;

TEST(Scope, joins_names_with_dots) {
  Parameters parameters;
  const Linear layer(Scope(parameters, Random(1)) / "encoder" / "output", 3, 2);
  ASSERT_EQ(parameters.entries().size(), 2u);
  EXPECT_EQ(parameters.entries()[0].name, "encoder.output.weight");
  EXPECT_EQ(parameters.entries()[1].name, "encoder.output.bias");
  EXPECT_EQ(layer.weight.shape(), (Shape{2, 3}));
}

TEST(Scope, first_values_depend_on_seed_and_name_alone) {
  const auto weight = [](uint64_t seed, bool other_first) {
    Parameters parameters;
    const Scope scope(parameters, Random(seed));
    if (other_first) Linear(scope / "other", 5, 5);
    return Linear(scope / "layer", 4, 3).weight.clone();
  };
  expect_close(weight(1, true), weight(1, false), 0, "the same seed");
  EXPECT_NE(weight(1, false).data<float>()[0], weight(2, false).data<float>()[0]);
}

TEST(Scope, takes_parameters_from_a_source_as_they_are) {
  const Tensor given = Tensor::full({3}, 7);
  Parameters parameters([&](std::string_view, const Shape&, DType) { return given; });
  const Tensor taken = Scope(parameters, Random(1)).param("w", {3}, ones());
  EXPECT_EQ(taken.data<float>(), given.data<float>());
  EXPECT_EQ(given.data<float>()[0], 7);
}

TEST(Scope, glorot_stays_within_its_bound_and_uses_it) {
  Parameters parameters;
  const Tensor w = Scope(parameters, Random(1)).param("w", {100, 50}, glorot());
  float most = 0;
  for (const float x : w.span<float>()) most = std::max(most, std::abs(x));
  EXPECT_LE(most, std::sqrt(6.0 / 150));
  EXPECT_GT(most, 0.95 * std::sqrt(6.0 / 150));
}

TEST(Layers, learn_a_linear_map) {
  Parameters parameters;
  const Linear layer(Scope(parameters, Random(3)), 4, 2);
  const Tensor x = testing::random_tensor({64, 4}, 1, 1, DType::f32),
               w = testing::random_tensor({2, 4}, 2, 1, DType::f32);
  const Tensor target = linear(x, w);
  const Tensor m = Tensor::zeros(parameters.values().shape()), v = Tensor::zeros(parameters.values().shape());
  double loss = 0;
  for (int64_t step = 1; step <= 300; ++step) {
    const Tensor error = add(layer(x), scale(target, -1));
    const Tensor squared = sum(mul(error, error));
    loss = squared.item();
    parameters.zero_gradients();
    backward(squared);
    adam(parameters.values(), parameters.gradients(), m, v, {.learning_rate = 0.05, .step = step});
  }
  EXPECT_LT(loss, 1e-3);
  expect_close(layer.weight, w, 1e-2, "the map");
}

}  // namespace
}  // namespace attune
