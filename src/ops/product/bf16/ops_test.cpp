// Operations whose weights have the precision bf16. A rounded factor is off by at most 2^-8 of itself, so a
// result that n rounded factors lead to is off by about n 2^-8 of its size, and by less where errors of
// different signs meet.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "attune/threads.h"
#include "ops/kernels.h"
#include "ops/product/linear_rows.h"
#include "tensor/arena.h"
#include "tensor/quantized.h"
#include "tensor/storage.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::random_tensor;
using Inputs = std::vector<Tensor>;

struct Case {
  const char* name;
  Inputs inputs;
  std::vector<size_t> weights;  // which inputs they are
  std::function<Tensor(const Inputs&)> run;
  double factors;  // rounded ones, on the longest way to a result or gradient
};

std::vector<Case> cases() {
  const Rows rows{7, 0, 21, 2};
  const auto random = [](const Shape& shape, uint64_t seed) {
    return random_tensor(shape, seed, 0.5, DType::f32);
  };
  const Tensor targets = Tensor::full({130}, 3, DType::i32);
  targets.data<int32_t>()[5] = kIgnore;
  const auto cell = [&](Cell kind, const char* name) {
    const int64_t n = gates(kind) * 9;
    return Case{name,
                {random({30, 24}, 1), random({n, 24}, 7), random({n, 9}, 8), random({n}, 9), random({n}, 10)},
                {1, 2},
                [=](const Inputs& in) {
                  return recurrence(kind, in[0], rows, {in[1], in[2], in[3], in[4]}).h;
                },
                12};
  };
  const auto repeated_cell = [&](Cell kind, const char* name) {
    Case c = cell(kind, name);
    c.run = [=](const Inputs& in) {
      const CellWeights shared = repeated(kind, {in[1], in[2], in[3], in[4]});
      const CellStates once = recurrence(kind, in[0], rows, shared);
      return add(once.h, recurrence(kind, in[0], rows, shared, {}, true).h);
    };
    return c;
  };
  return {
      {"linear",
       {random({130, 40}, 1), random({35, 40}, 2), random({35}, 3)},
       {1},
       [](const Inputs& in) { return linear(in[0], in[1], in[2]); },
       2},
      {"linear of few rows",
       {random({3, 40}, 1), random({35, 40}, 2), random({35}, 3)},
       {1},
       [](const Inputs& in) { return linear(in[0], in[1], in[2], Activation::gelu); },
       4},
      {"two layers",
       {random({70, 40}, 1), random({64, 40}, 2), random({64}, 3), random({20, 64}, 4)},
       {1, 3},
       [](const Inputs& in) { return linear(linear(in[0], in[1], in[2], Activation::gelu), in[3], {}); },
       6},
      {"linear_cross_entropy",
       {random({130, 24}, 1), random({35, 24}, 2), random({35}, 3)},
       {1},
       [=](const Inputs& in) { return linear_cross_entropy(in[0], in[1], in[2], targets, 0.1).loss; },
       5},
      {"linear_cross_entropy of few words",
       {random({130, 24}, 1), random({4, 24}, 2)},
       {1},
       [=](const Inputs& in) { return linear_cross_entropy(in[0], in[1], {}, targets, 0.1).loss; },
       5},
      {"linear_cross_entropy of more tokens and words than are multiplied at a time",
       {random({900, 8}, 1), random({5003, 8}, 2), random({5003}, 3)},
       {1},
       [many = Tensor::full({900}, 4999, DType::i32)](const Inputs& in) {
         return linear_cross_entropy(in[0], in[1], in[2], many, 0.1).loss;
       },
       5},
      {"attention between layers",
       {random({30, 24}, 1), random({72, 24}, 2), random({20, 24}, 3)},
       {1, 2},
       [=](const Inputs& in) {
         const auto qkv = split_columns(linear(in[0], in[1], {}), std::vector<int64_t>{24, 24, 24});
         return linear(attention(qkv[0], qkv[1], qkv[2], rows, rows, {.heads = 2}), in[2], {});
       },
       12},
      cell(Cell::rnn, "rnn"),
      cell(Cell::gru, "gru"),
      cell(Cell::lstm, "lstm"),
      repeated_cell(Cell::gru, "repeated gru"),
  };
}

// The result, and the gradients of sum_i y_i d_i with random d.
Inputs results(const Case& c, Precision precision) {
  Inputs inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) inputs.push_back(leaf(c.inputs[i].clone()));
  for (const size_t weight : c.weights) inputs[weight].storage()->products = precision;
  const Tensor y = c.run(inputs);
  Inputs all{y.detach().clone()};
  const Tensor flat = reshape(y, {1, y.size()});
  const Tensor d = random_tensor({1, y.size()}, 5, 1, DType::f32);
  backward(reshape(matmul(flat, d, false, true), {}));
  for (const Tensor& input : inputs) all.push_back(leaf_gradient(input).clone());
  return all;
}

double distance(const Tensor& a, const Tensor& b) {
  double apart = 0, size = 0;
  for (int64_t r = 0; r < a.rows(); ++r)
    for (size_t i = 0; i < a.row<float>(r).size(); ++i) {
      const double x = a.row<float>(r)[i], y = b.row<float>(r)[i];
      apart += (x - y) * (x - y);
      size += y * y;
    }
  return size > 0 ? std::sqrt(apart / size) : std::sqrt(apart);
}

TEST(Bf16Ops, results_and_gradients_are_those_of_f32_to_the_bits_of_the_factors) {
  for (const Case& c : cases()) {
    const Inputs rough = results(c, Precision::bf16), exact = results(c, Precision::f32);
    for (size_t i = 0; i < exact.size(); ++i) {
      EXPECT_LT(distance(rough[i], exact[i]), c.factors / 256) << c.name << " " << i;
      if (i != 1) continue;
      EXPECT_GT(distance(rough[i], exact[i]), 0) << c.name << ": nothing was rounded";
    }
  }
}

TEST(Bf16Ops, results_have_the_same_bits_for_any_number_of_threads) {
  for (const Case& c : cases()) {
    Inputs first;
    for (const int count : {1, 2, 3}) {
      const ThreadCount threads(count);
      const Inputs now = results(c, Precision::bf16);
      if (first.empty()) first = now;
      for (size_t i = 0; i < now.size(); ++i)
        EXPECT_EQ(std::memcmp(now[i].data<float>(), first[i].data<float>(),
                              static_cast<size_t>(now[i].size()) * sizeof(float)),
                  0)
            << c.name << " " << i << ", threads: " << count;
    }
  }
}

// What is kept for the backward pass takes half the bytes, and gaps between rows: inputs of layers, slopes of
// activations, queries, keys and values. What several need is kept once.
TEST(Bf16Ops, a_forward_pass_keeps_little_more_than_half_the_bytes) {
  const auto random = [](const Shape& shape, uint64_t seed) {
    return random_tensor(shape, seed, 1, DType::f32);
  };
  const Rows rows{100, 28, 128};
  const auto kept_bytes = [&](Precision precision) {
    const Inputs weights{random({1024, 256}, 1), random({768, 1024}, 2), random({64, 256}, 3)};
    for (const Tensor& weight : weights) set_precision(weight, precision);
    const Tensor x = leaf(random({256, 256}, 4));
    const auto before = Arena::current()->stats().used;
    const Tensor hidden = linear(x, weights[0], {}, Activation::relu);
    const auto qkv = split_columns(linear(hidden, weights[1], {}), std::vector<int64_t>{256, 256, 256});
    Tensor y = linear(attention(qkv[0], qkv[1], qkv[2], rows, rows, {.heads = 2}), weights[2], {});
    const auto all = Arena::current()->stats().used;
    const int64_t alone = precision == Precision::bf16 ? hidden.size() + 3 * qkv[0].size() : 0;  // held here
    return static_cast<double>(all - before) - static_cast<double>(alone + y.size()) * sizeof(float);
  };
  EXPECT_LT(kept_bytes(Precision::bf16), 0.65 * kept_bytes(Precision::f32));
}

TEST(Bf16Ops, the_reference_does_not_round) {
  const ReferenceKernels reference;
  for (const Case& c : cases()) {
    const Inputs marked = results(c, Precision::bf16), plain = results(c, Precision::f32);
    for (size_t i = 0; i < plain.size(); ++i)
      EXPECT_EQ(distance(marked[i], plain[i]), 0) << c.name << " " << i;
  }
}

// Weights that are stored in bf16 multiply as f32 weights of the same values and the precision bf16.
TEST(Bf16Ops, stored_weights_multiply_as_rounded_ones) {
  const NoGrad no_grad;
  for (const Case& c : cases()) {
    Inputs stored = c.inputs, marked;
    for (const size_t weight : c.weights) stored[weight] = c.inputs[weight].to(DType::bf16);
    for (const Tensor& input : c.inputs) marked.push_back(input.clone());
    for (const size_t weight : c.weights) marked[weight].storage()->products = Precision::bf16;
    EXPECT_EQ(distance(c.run(stored), c.run(marked)), 0) << c.name;
    const ReferenceKernels reference;
    for (const size_t weight : c.weights) marked[weight] = stored[weight].to(DType::f32);
    EXPECT_LT(distance(c.run(stored), c.run(marked)), c.factors / 256) << c.name;
  }
}

TEST(Bf16Ops, embeddings_and_chosen_rows_of_stored_weights) {
  const Tensor table = random_tensor({6, 33}, 1, 1, DType::f32), stored = table.to(DType::bf16),
               ids = Tensor::of<int32_t>({3}, {5, kNoWord, 0}), x = random_tensor({4, 33}, 2, 1, DType::f32);
  EXPECT_EQ(distance(embedding(stored, ids, 2), embedding(stored.to(DType::f32), ids, 2)), 0);
  const std::vector<int32_t> rows{4, 1};
  const Tensor all = linear(x, stored, {}), some = LinearRows(stored, {}, rows)(x);
  for (int64_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < 2; ++j)
      EXPECT_EQ(some.row<float>(i)[j], all.row<float>(i)[static_cast<size_t>(rows[j])]);
}

TEST(Bf16Ops, stored_weights_cannot_be_trained) {
  const Tensor x = leaf(random_tensor({4, 33}, 2, 1, DType::f32)),
               stored = random_tensor({6, 33}, 1, 1, DType::f32).to(DType::bf16);
  testing::expect_error([&] { linear(x, stored, {}); }, "cannot be trained");
}

}  // namespace
}  // namespace attune
