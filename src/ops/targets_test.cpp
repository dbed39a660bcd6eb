// Every kernel on every CPU generation that this machine can run, down to plain C++.
#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include "attune/ops.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::random_tensor;

void choose(int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::vector<OpCase> cases() {
  const Rows rows{7, 0, 21, 2};
  const Tensor x = random_tensor({30, 24}, 1), w = random_tensor({35, 24}, 2), gamma = random_tensor({24}, 3);
  const Tensor many = random_tensor({130, 24}, 4), bias = random_tensor({35}, 5), v = random_tensor({24}, 6);
  const Tensor targets = Tensor::full({30}, 3, DType::i32);
  const CellWeights gru{random_tensor({27, 24}, 7), random_tensor({27, 9}, 8), random_tensor({27}, 9),
                        random_tensor({27}, 10)};
  const Dropout dropped{0.3, Random(2)};
  return {
      {"softmax", {x}, [](auto& in) { return softmax(in[0]); }},
      {"linear", {many, w, bias}, [](auto& in) { return linear(in[0], in[1], in[2], Activation::gelu); }},
      {"tanh", {x}, [](auto& in) { return activate(in[0], Activation::tanh); }},
      {"residual_norm",
       {x, x, gamma, v},
       [=](auto& in) { return residual_norm(in[0], in[1], in[2], in[3], dropped).normed; }},
      {"attention",
       {x, x, x},
       [=](auto& in) {
         return attention(in[0], in[1], in[2], rows, rows, {.heads = 3, .causal = true, .dropout = dropped});
       }},
      {"additive_attention",
       {x, x, v, x},
       [=](auto& in) { return additive_attention(in[0], in[1], in[2], in[3], rows, rows); }},
      {"recurrence",
       {x, gru.input, gru.recurrent, gru.input_bias, gru.recurrent_bias},
       [=](auto& in) {
         return recurrence(Cell::gru, in[0], rows, {in[1], in[2], in[3], in[4]}).h;
       }},
      {"linear_cross_entropy",
       {x, w, bias},
       [=](auto& in) { return linear_cross_entropy(in[0], in[1], in[2], targets, 0.1).loss; }},
  };
}

TEST(Targets, all_kernels_equal_the_reference_on_every_cpu_generation) {
  for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    const int64_t target = left & -left;
    choose(target);
    SCOPED_TRACE(hwy::TargetName(target));
    for (const OpCase& op : cases()) testing::expect_parity(op, 1e-4);
  }
  choose(0);  // whatever the machine has
}

}  // namespace
}  // namespace attune
