// Attention along edges, against attention to all nodes of a graph with a mask.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "attune/autograd.h"
#include "attune/error.h"
#include "attune/parameters.h"
#include "nn/attention/multi_head.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;
using testing::random_tensor;

// Two graphs of 4 and 3 nodes; the second node of the second one sees only itself.
const Rows kNodes{4, 3};
const std::vector<std::vector<int32_t>> kSees{{0, 1, 3}, {1, 0, 2}, {2, 1}, {3, 0}, {4, 6}, {5}, {6, 4, 5}};

std::shared_ptr<const Edges> edges() {
  std::vector<int64_t> lengths;
  std::vector<int32_t> to, kinds;
  for (const auto& seen : kSees) {
    lengths.push_back(std::ssize(seen));
    for (size_t i = 0; i < seen.size(); ++i) {
      to.push_back(seen[i]);
      kinds.push_back(static_cast<int32_t>(i));
    }
  }
  const auto count = std::ssize(to);
  return std::make_shared<const Edges>(
      Edges{Rows(lengths), Tensor::of<int32_t>({count}, to), Tensor::of<int32_t>({count}, kinds)});
}

struct Weights final : Lens {
  Tensor weights;
  Rows queries;
  void attention(AttentionName, const Tensor& w, const Rows& q, const Rows&, int) override {
    weights = w;
    queries = q;
  }
};

struct Fixture {
  explicit Fixture(const std::string& score, int64_t kinds = 0)
      : heads(Scope(parameters, Random(3)), {4, 2, score, 0, "edges", 0, 2, kinds}) {}

  Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, Lens* lens = nullptr) const {
    return heads.attend(q, heads.keys(k), v,
                        {.queries = kNodes, .keys = kNodes, .edges = edges(), .lens = lens});
  }

  Parameters parameters = Parameters(DType::f64);
  Heads heads;
};

// sum_j softmax_j(q . k_j / sqrt(d) + bias of the edge's kind) v_j over the nodes that are seen, by hand.
TEST(Edges, a_node_attends_to_the_nodes_that_it_sees) {
  for (const int64_t kinds : {0, 2}) {
    Fixture f("scaled_dot", kinds);
    if (kinds > 0) f.parameters.values().copy_from(random_tensor(f.parameters.values().shape(), 9));
    const Tensor q = random_tensor({7, 4}, 1), k = random_tensor({7, 4}, 2), v = random_tensor({7, 4}, 3);
    const Tensor y = f.attend(q, k, v);
    for (int64_t i = 0; i < 7; ++i)
      for (int64_t h = 0; h < 2; ++h) {
        double sum = 0, mixed[2] = {0, 0};
        const auto& seen = kSees[static_cast<size_t>(i)];
        for (size_t e = 0; e < seen.size(); ++e) {
          double energy = 0;
          for (int64_t c = 2 * h; c < 2 * h + 2; ++c)
            energy += q.data<double>()[4 * i + c] * k.data<double>()[4 * seen[e] + c] / std::sqrt(2.0);
          if (kinds > 0) energy += f.parameters.values().data<double>()[2 * static_cast<int64_t>(e) + h];
          const double weight = std::exp(energy);
          sum += weight;
          for (int64_t c = 0; c < 2; ++c) mixed[c] += weight * v.data<double>()[4 * seen[e] + 2 * h + c];
        }
        for (int64_t c = 0; c < 2; ++c)
          EXPECT_NEAR(y.data<double>()[4 * i + 2 * h + c], mixed[c] / sum, 1e-12);
      }
  }
}

TEST(Edges, gradients_with_every_score) {
  for (const std::string score : {"scaled_dot", "general", "additive", "concat"})
    for (const int64_t kinds : {0, 2}) {
      const Fixture f(score, kinds);
      testing::expect_gradients(
          {"edges",
           {random_tensor({7, 4}, 1), random_tensor({7, 4}, 2), random_tensor({7, 4}, 3)},
           [&](const auto& in) { return f.attend(in[0], in[1], in[2]); }});
    }
}

// Without gradients keys are read where they are; with them they are gathered.
TEST(Edges, recording_changes_nothing) {
  const Fixture f("scaled_dot");
  const Tensor q = random_tensor({7, 4}, 1), k = random_tensor({7, 4}, 2), v = random_tensor({7, 4}, 3);
  const Tensor plain = f.attend(q, k, v);
  expect_close(f.attend(q, leaf(k), v).detach(), plain, 1e-12, "attend");
}

TEST(Edges, a_lens_sees_whole_graphs) {
  const Fixture f("scaled_dot");
  Weights lens;
  f.attend(random_tensor({7, 4}, 1), random_tensor({7, 4}, 2), random_tensor({7, 4}, 3), &lens);
  ASSERT_EQ(lens.weights.size(), 2 * (16 + 9));
  EXPECT_EQ(lens.queries, kNodes);
  const double* row = lens.weights.data<double>();
  for (int64_t g = 0; g < 2; ++g)
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t i = 0; i < kNodes.length(g); ++i, row += kNodes.length(g)) {
        const auto& seen = kSees[static_cast<size_t>(kNodes.begin(g) + i)];
        const std::set<int32_t> all(seen.begin(), seen.end());
        double sum = 0;
        for (int64_t j = 0; j < kNodes.length(g); ++j) {
          EXPECT_EQ(row[j] > 0, all.contains(static_cast<int32_t>(kNodes.begin(g) + j)));
          sum += row[j];
        }
        EXPECT_NEAR(sum, 1, 1e-12);
      }
}

TEST(Edges, what_does_not_fit_is_refused) {
  const Tensor x = random_tensor({7, 4}, 1);
  testing::expect_error([&] { Fixture("dot").heads.attend(x, x, x, {.queries = kNodes, .keys = kNodes}); },
                        "visibility: 'edges' needs a source of graphs");
  testing::expect_error([&] { Fixture("dot", 1).attend(x, x, x); },
                        "edge_kinds: there is an edge of kind 2, but the model knows 1");
}

}  // namespace
}  // namespace attune
