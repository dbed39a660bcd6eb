#include "ops/loss/alignment_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attune/ops.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::random_tensor;

constexpr AlignmentCost kCosts[] = {AlignmentCost::ce, AlignmentCost::mult, AlignmentCost::mse};

// Queries with no link, one, several, all; and one with a single key.
const Rows kRows{3, 4, 4, 2, 1};
Tensor links() { return Tensor::of<double>({14}, {0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1}); }

OpCase alignment_case(AlignmentCost cost) {
  return {"alignment_loss", {random_tensor({14}, 1, 2)}, [cost](const auto& in) {
            return alignment_loss(in[0], links().to(in[0].dtype()), kRows, cost);
          }};
}

TEST(AlignmentLoss, gradients) {
  for (const AlignmentCost cost : kCosts) testing::expect_gradients(alignment_case(cost));
}

TEST(AlignmentLoss, f32_equals_f64) {
  for (const AlignmentCost cost : kCosts) testing::expect_parity(alignment_case(cost));
}

TEST(AlignmentLoss, has_the_values_of_its_formulas) {
  // Two queries of equal energies over four keys, of which the first has one link and the second two; a third
  // has none.
  const Tensor energy = Tensor::of<double>({12}, std::vector<double>(12, 5.0));
  const Tensor links = Tensor::of<double>({12}, {0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0});
  const auto loss = [&](AlignmentCost cost) {
    return alignment_loss(energy, links, Rows{4, 4, 4}, cost).item();
  };
  EXPECT_NEAR(loss(AlignmentCost::ce), std::log(4) + std::log(4), 1e-12);
  EXPECT_NEAR(loss(AlignmentCost::mult), std::log(4) + std::log(2), 1e-12);
  EXPECT_NEAR(loss(AlignmentCost::mse), (0.75 * 0.75 + 3 * 0.25 * 0.25) + 4 * 0.25 * 0.25, 1e-12);
}

TEST(AlignmentLoss, is_finite_where_the_weight_of_a_link_underflows) {
  const Tensor energy = Tensor::of<float>({2}, {1000, 0}), links = Tensor::of<float>({2}, {0, 1});
  for (const AlignmentCost cost : {AlignmentCost::ce, AlignmentCost::mult})
    EXPECT_FLOAT_EQ(static_cast<float>(alignment_loss(energy, links, Rows{2}, cost).item()), 1000);
}

TEST(AlignmentLoss, refuses_links_of_another_shape) {
  testing::expect_error(
      [] { alignment_loss(random_tensor({3}, 1), random_tensor({2}, 1), Rows{3}, AlignmentCost::ce); },
      "alignment_loss: the shape of links is [2], but [3] was expected");
}

}  // namespace
}  // namespace attune
