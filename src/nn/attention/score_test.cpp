// Scores whose meaning is easily computed in another way.
#include "nn/attention/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "testing/op_check.h"

namespace attune {
namespace {

TEST(LeakyScore, as_velickovic_defines_it) {
  Parameters parameters(DType::f64);
  const auto score = make_score("leaky", Scope(parameters, Random(3)), {3, 2, 0});
  const Tensor q = testing::random_tensor({2, 3}, 1), k = testing::random_tensor({4, 2}, 2);
  const Rows queries{2}, keys{4};
  const Tensor e = score->energy(q, score->keys(k), {.queries = queries, .keys = keys});
  const Tensor u = parameters.entries()[0].tensor, w = parameters.entries()[1].tensor;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (int64_t c = 0; c < 3; ++c) sum += u.data<double>()[c] * q.data<double>()[i * 3 + c];
      for (int64_t c = 0; c < 2; ++c) sum += w.data<double>()[c] * k.data<double>()[j * 2 + c];
      EXPECT_NEAR(e.data<double>()[i * 4 + j], sum < 0 ? 0.2 * sum : sum, 1e-12);
    }
}

TEST(AutoCorrelation, a_series_sees_itself_a_period_ago) {
  Parameters parameters(DType::f64);
  const auto score = make_score("autocorrelation", Scope(parameters, Random(1)), {2, 2, 0});
  constexpr int64_t kSteps = 24, kPeriod = 8;
  Tensor x({kSteps, 2}, DType::f64);
  for (int64_t t = 0; t < kSteps; ++t) {
    x.data<double>()[2 * t] = 5 * std::sin(2 * std::numbers::pi * static_cast<double>(t) / kPeriod);
    x.data<double>()[2 * t + 1] = 5 * std::cos(2 * std::numbers::pi * static_cast<double>(t) / kPeriod);
  }
  const Tensor e = score->energy(x, x, {.queries = Rows{kSteps}, .keys = Rows{kSteps}});
  const auto at = [&](int64_t i, int64_t j) { return e.data<double>()[i * kSteps + j]; };
  EXPECT_NEAR(at(10, 2), 25 / std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(at(10, 2), at(10, 10), 1e-9);
  EXPECT_LT(at(10, 6), at(10, 9));     // half a period ago it was the opposite
  EXPECT_TRUE(std::isinf(at(10, 6)));  // and is not among the delays that count
  for (int64_t i = 0; i < kSteps; ++i) EXPECT_EQ(at(i, (i + kSteps - 3) % kSteps), at(0, kSteps - 3));
}

TEST(AutoCorrelation, has_gradients) {
  Parameters parameters(DType::f64);
  const auto score = make_score("autocorrelation", Scope(parameters, Random(1)), {2, 2, 0});
  const Tensor values = testing::random_tensor({7, 3}, 5);
  testing::expect_gradients(
      {"autocorrelation",
       {testing::random_tensor({7, 2}, 1), testing::random_tensor({7, 2}, 2)},
       [&](const auto& in) {
         return score->attend(in[0], in[1], values, {.queries = Rows{5, 2}, .keys = Rows{5, 2}});
       }});
}

}  // namespace
}  // namespace attune
