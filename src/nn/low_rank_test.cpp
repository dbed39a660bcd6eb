#include "nn/low_rank.h"

#include <gtest/gtest.h>

#include "attune/autograd.h"
#include "nn/layers.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close, testing::random_tensor;

struct Adapted {
  Parameters base, parameters;
  std::optional<Linear> plain, adapted;

  explicit Adapted(const LowRank& low_rank, DType dtype = DType::f64)
      : base(dtype),
        parameters([this](std::string_view name, const Shape&,
                          DType) { return base.contains(name) ? base.at(name).detach() : Tensor(); },
                   dtype) {
    plain.emplace(Scope(base, Random(1)) / "layer", 6, 5);
    adapted.emplace(Scope(parameters, Random(2)).with(low_rank) / "layer", 6, 5);
  }
};

TEST(LowRank, changes_nothing_at_first) {
  const Adapted layers({.rank = 2, .alpha = 4, .places = {}});
  const Tensor x = random_tensor({3, 6}, 7);
  expect_close((*layers.adapted)(x), (*layers.plain)(x), 0, "y");
}

TEST(LowRank, adds_a_product_of_two_matrices_to_the_weight) {
  const Adapted layers({.rank = 2, .alpha = 4, .places = {}});
  const LowRankDelta& delta = *layers.adapted->delta;
  EXPECT_EQ(delta.factor, 2);
  delta.b.detach().copy_from(random_tensor({5, 2}, 8));
  const Tensor x = random_tensor({3, 6}, 7), weight = merged(layers.plain->weight, delta);
  for (int64_t o = 0; o < 5; ++o)
    for (int64_t i = 0; i < 6; ++i) {
      double sum = layers.plain->weight.row<double>(o)[static_cast<size_t>(i)];
      for (int64_t r = 0; r < 2; ++r)
        sum += 2 * delta.b.row<double>(o)[static_cast<size_t>(r)] *
               delta.a.row<double>(r)[static_cast<size_t>(i)];
      EXPECT_NEAR(weight.row<double>(o)[static_cast<size_t>(i)], sum, 1e-12);
    }
  for (const Activation f : {Activation::none, Activation::relu, Activation::gelu})
    expect_close((*layers.adapted)(x, f), linear(x, weight, layers.plain->bias, f), 1e-12, "y");
}

TEST(LowRank, is_trained_and_the_weight_is_not) {
  Adapted layers({.rank = 2, .alpha = 2, .places = {}});
  EXPECT_EQ(layers.parameters.trained_count(), 2 * 6 + 5 * 2);
  EXPECT_EQ(layers.adapted->weight.node(), nullptr);
  const Tensor values = layers.parameters.values(), x = random_tensor({3, 6}, 7);
  layers.adapted->delta->b.detach().copy_from(random_tensor({5, 2}, 8));
  const auto loss = [&] { return sum(mul((*layers.adapted)(x), random_tensor({3, 5}, 9))); };
  backward(loss());
  const NoGrad no_grad;
  for (size_t i = 0; i < values.span<double>().size(); ++i) {
    double& number = values.span<double>()[i];
    const double before = number;
    number = before + 1e-5;
    const double above = loss().item();
    number = before - 1e-5;
    const double below = loss().item();
    number = before;
    EXPECT_NEAR(layers.parameters.gradients().span<double>()[i], (above - below) / 2e-5, 1e-8) << i;
  }
}

TEST(LowRank, is_where_its_places_say) {
  Parameters parameters;
  const Scope p = Scope(parameters, Random(1)).with({.rank = 1, .alpha = 1, .places = {"self", "*.out"}});
  const auto has = [&](const char* a, const char* b) { return Linear(p / a / b, 3, 4).delta.has_value(); };
  EXPECT_TRUE(has("self", "qkv"));
  EXPECT_TRUE(has("cross", "out"));
  EXPECT_FALSE(has("cross", "q"));
  EXPECT_FALSE(Linear(Scope(parameters, Random(1)) / "self" / "out", 3, 4).delta.has_value());
  EXPECT_TRUE(parameters.contains("self.qkv.lora_a") && parameters.contains("cross.out.lora_b"));
}

}  // namespace
}  // namespace attune
