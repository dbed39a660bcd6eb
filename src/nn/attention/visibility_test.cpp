#include "nn/attention/visibility.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attune/parameters.h"
#include "nn/positions.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;
using testing::random_tensor;

Tensor numbers(std::vector<int32_t> values) {
  return Tensor::of<int32_t>({static_cast<int64_t>(values.size())}, values);
}

// Score::attend is the definition; DotScore::attend is the fused kernel.
TEST(Visibility, kernels_see_what_the_definition_sees) {
  Parameters parameters(DType::f64);
  const Scope scope(parameters, Random(1));
  const auto score = make_score("dot", scope, {4, 4, 4});
  const Rows queries{3, 6, 1}, keys{5, 6, 2};
  const Tensor q = random_tensor({10, 4}, 1), k = random_tensor({13, 4}, 2), v = random_tensor({13, 3}, 3);
  const Tensor centres = numbers({4, 0, 2, 5, 1, 0, 3, 3, 3, 1});
  for (const Band sees : {Band{}, kCausal, Band{1, 1}, Band{2, 0}})
    for (const Tensor& bias : {Tensor(), random_tensor({5, 1}, 4)})
      for (const Tensor& places : {Tensor(), centres}) {
        const Attending who{.queries = queries, .keys = keys, .sees = sees, .centres = places, .bias = bias};
        expect_close(score->attend(q, k, v, who), score->Score::attend(q, k, v, who), 1e-12, "attend");
      }
}

// From the definition in Raffel et al. 2020, with 32 buckets up to a distance of 128.
TEST(Visibility, t5_has_narrow_buckets_near_and_wide_ones_far) {
  const auto buckets = [](bool causal, std::vector<int64_t> distances) {
    for (int64_t& d : distances) d = t5_bucket(d, 32, causal);
    return distances;
  };
  EXPECT_EQ(buckets(false, {0, -1, -7, -8, -11, -12, -90, -91, -128, -5000, 1, 7, 8, 12, 128}),
            (std::vector<int64_t>{0, 1, 7, 8, 8, 9, 14, 15, 15, 15, 17, 23, 24, 25, 31}));
  EXPECT_EQ(buckets(true, {0, 3, -1, -15, -16, -18, -19, -112, -113, -128, -5000}),
            (std::vector<int64_t>{0, 0, 1, 15, 16, 16, 17, 30, 31, 31, 31}));
}

// e_ij = q_i . (k_j + a_clip(j - i)) / sqrt(d)
TEST(Visibility, relative_vectors_are_added_to_the_keys) {
  Parameters parameters(DType::f64);
  const auto score = make_score("scaled_dot", Scope(parameters, Random(1)), {4, 4, 4});
  const Tensor q = random_tensor({3, 4}, 1), k = random_tensor({3, 4}, 2), v = random_tensor({3, 2}, 3),
               a = random_tensor({3, 4}, 4);
  const Rows rows{3};
  const Tensor all = score->attend(q, k, v, {.queries = rows, .keys = rows, .relative = a});
  for (int64_t i = 0; i < 3; ++i) {
    std::vector<int32_t> distances;
    for (int64_t j = 0; j < 3; ++j)
      distances.push_back(static_cast<int32_t>(std::clamp<int64_t>(j - i, -1, 1) + 1));
    const Tensor keys = add(k, embedding(a, numbers(distances)));
    expect_close(all.view_rows(i, i + 1), attention(q.view_rows(i, i + 1), keys, v, {1}, {3}, {}), 1e-12,
                 "row");
  }
}

struct Weights final : Lens {
  Tensor weights;
  void attention(AttentionName, const Tensor& w, const Rows&, const Rows&, int) override { weights = w; }
};

// Luong et al. 2015, eq. 9 and 10, computed here by hand.
TEST(Visibility, local_p_looks_around_a_predicted_position) {
  Parameters parameters(DType::f64);
  const Scope scope(parameters, Random(2));
  const auto visibility = make_visibility("local-p", scope, {2, 2});
  const auto score = make_score("dot", scope / "score", {2, 2, 2});
  const Tensor q = random_tensor({1, 2}, 1), h = random_tensor({9, 2}, 2);
  Weights lens;
  Attending who{.queries = {1}, .keys = {9}, .lens = &lens};
  visibility->narrow(who, q);
  score->attend(q, h, h, who);

  const auto parameter = [&](std::string_view name) {
    for (const auto& entry : parameters.entries())
      if (entry.name == name) return entry.tensor;
    throw std::logic_error("no such parameter");
  };
  const Tensor W = parameter("W.weight"), v = parameter("v.weight");
  double energy = 0;
  for (int64_t r = 0; r < 2; ++r)
    energy += v.data<double>()[r] * std::tanh(W.row<double>(r)[0] * q.data<double>()[0] +
                                              W.row<double>(r)[1] * q.data<double>()[1]);
  const double p = 9 / (1 + std::exp(-energy));
  const auto centre = static_cast<int64_t>(std::llround(p));
  std::vector<double> weights(9, 0);
  double total = 0;
  for (int64_t j = std::max<int64_t>(0, centre - 2); j <= std::min<int64_t>(8, centre + 2); ++j)
    total += weights[static_cast<size_t>(j)] =
        std::exp(h.row<double>(j)[0] * q.data<double>()[0] + h.row<double>(j)[1] * q.data<double>()[1]);
  for (size_t j = 0; j < 9; ++j)
    weights[j] *= std::exp(-std::pow(static_cast<double>(j) - p, 2) / 2) / total;  // sigma = D / 2 = 1
  expect_close(lens.weights, Tensor::of<double>({9}, weights), 1e-12, "weights");
}

TEST(Visibility, local_m_follows_the_target_and_stays_within_the_source) {
  Parameters parameters(DType::f64);
  const auto visibility = make_visibility("local-m", Scope(parameters, Random(2)), {2, 1});
  Attending who{.queries = {3, 2}, .keys = {2, 4}, .positions = numbers({0, 1, 7, 2, 3})};
  visibility->narrow(who, random_tensor({5, 2}, 1));
  EXPECT_EQ(who.sees, (Band{1, 1}));
  const auto centres = who.centres.span<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(centres.begin(), centres.end()), (std::vector<int32_t>{0, 1, 1, 2, 3}));
}

}  // namespace
}  // namespace attune
