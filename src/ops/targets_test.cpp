// Every kernel on every CPU generation that this machine can run, down to plain C++.
#include <gtest/gtest.h>

#include <cstring>

#include "attune/ops.h"
#include "ops/product/packed_gemm.h"
#include "testing/op_check.h"
#include "testing/targets.h"

namespace attune {
namespace {

using testing::for_targets, testing::OpCase, testing::random_tensor;

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
         return attention(in[0], in[1], in[2], rows, rows, {.heads = 3, .sees = kCausal, .dropout = dropped});
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
  for_targets([] {
    for (const OpCase& op : cases()) testing::expect_parity(op, 1e-4);
  });
}

// 260 numbers per sum and 70 columns: more than one block of each, and a remainder.
TEST(Targets, a_row_of_a_product_has_the_same_bits_among_any_number_of_rows) {
  const int64_t most = 200, n = 70, k = 260;
  const Tensor a = random_tensor({most, k}, 1, 1, DType::f32), w = random_tensor({n, k}, 2, 1, DType::f32);
  for_targets([&] {
    const PackedMatrix form(k, n, {w.data<float>(), k, true});
    const Tensor all = Tensor::full({most, n}, 1), some({most, n});
    form.multiply(most, a.data<float>(), k, all.data<float>(), n, true);
    for (int64_t m = 1; m < most; ++m) {
      some.fill(1);
      form.multiply(m, a.data<float>() + (most - m) * k, k, some.data<float>(), n, true);
      const size_t bytes = static_cast<size_t>(m * n) * sizeof(float);
      ASSERT_EQ(std::memcmp(some.data<float>(), all.data<float>() + (most - m) * n, bytes), 0)
          << m << " rows";
    }
  });
}

}  // namespace
}  // namespace attune
