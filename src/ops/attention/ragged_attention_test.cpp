#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "attune/ops.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;
using testing::expect_error;
using testing::OpCase;
using testing::random_tensor;

struct Batch {
  Rows queries, keys;
};

// Sentences of different lengths, without queries, without keys, without either; a single pair; none.
std::vector<Batch> batches() {
  return {{{2, 1, 3}, {4, 2, 1}}, {{0, 2, 0, 3}, {3, 0, 0, 5}}, {{1}, {1}}, {{5}, {7}}, {{}, {}}, {{2}, {0}}};
}

OpCase additive_case(const Batch& b, int64_t n) {
  return {"additive_energy",
          {random_tensor({b.queries.total(), n}, 1), random_tensor({b.keys.total(), n}, 2),
           random_tensor({n}, 3)},
          [=](const auto& in) { return additive_energy(in[0], in[1], in[2], b.queries, b.keys); }};
}

OpCase dot_case(const Batch& b, int64_t n) {
  return {"dot_energy",
          {random_tensor({b.queries.total(), n}, 1), random_tensor({b.keys.total(), n}, 2)},
          [=](const auto& in) { return dot_energy(in[0], in[1], b.queries, b.keys, 0.3); }};
}

OpCase softmax_case(const Batch& b) {
  const Rows rows = pair_rows(b.queries, b.keys);
  return {"ragged_softmax", {random_tensor({rows.total()}, 1, 2)}, [=](const auto& in) {
            return ragged_softmax(in[0], rows);
          }};
}

OpCase mix_case(const Batch& b, int64_t e) {
  return {"ragged_mix",
          {random_tensor({pair_rows(b.queries, b.keys).total()}, 1), random_tensor({b.keys.total(), e}, 2)},
          [=](const auto& in) { return ragged_mix(in[0], in[1], b.queries, b.keys); }};
}

TEST(RaggedAttention, gradients) {
  for (const Batch& b : batches()) {
    testing::expect_gradients(additive_case(b, 3));
    testing::expect_gradients(dot_case(b, 3));
    testing::expect_gradients(softmax_case(b));
    testing::expect_gradients(mix_case(b, 3));
  }
}

TEST(RaggedAttention, fast_kernels_equal_the_reference) {
  for (const Batch& b : batches())
    for (const int64_t width : {1, 8, 19}) {
      testing::expect_parity(additive_case(b, width));
      testing::expect_parity(dot_case(b, width));
      testing::expect_parity(softmax_case(b));
      testing::expect_parity(mix_case(b, width));
    }
}

TEST(RaggedAttention, pair_rows_has_one_row_a_query_as_long_as_its_keys) {
  EXPECT_EQ(pair_rows({2, 0, 1}, {3, 5, 0}), (Rows{3, 3, 0}));
  EXPECT_EQ(pair_rows({}, {}), Rows{});
}

TEST(RaggedAttention, energies_follow_their_equations) {
  const Rows queries{1, 1}, keys{2, 1};
  const Tensor query = Tensor::of<double>({2, 2}, {1, 2, 3, 4});
  const Tensor key = Tensor::of<double>({3, 2}, {1, 0, 0, -1, 2, 2});
  expect_close(dot_energy(query, key, queries, keys, 2), Tensor::of<double>({3}, {2, -4, 28}), 1e-12, "dot");
  const Tensor v = Tensor::of<double>({2}, {1, -3});
  expect_close(additive_energy(query, key, v, queries, keys),
               Tensor::of<double>({3}, {std::tanh(2) - 3 * std::tanh(2), std::tanh(1) - 3 * std::tanh(1),
                                        std::tanh(5) - 3 * std::tanh(6)}),
               1e-12, "additive");
}

TEST(RaggedAttention, weights_of_each_row_sum_to_one) {
  const Rows rows{3, 1, 0, 40};
  const Tensor weights = ragged_softmax(random_tensor({44}, 1, 10, DType::f32), rows);
  for (const int64_t r : {0, 1, 3}) {
    double total = 0;
    for (int64_t i = rows.begin(r); i < rows.end(r); ++i) total += weights.data<float>()[i];
    EXPECT_NEAR(total, 1, 1e-6);
  }
}

TEST(RaggedAttention, minus_infinity_throughout_gives_no_weight_and_nan_stays_in_its_row) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor energy = Tensor::of<float>({6}, {-inf, -inf, 0, 0, NAN, 1}).to(dtype);
    const Tensor weights = ragged_softmax(energy, {2, 2, 2});
    expect_close(weights, Tensor::of<float>({6}, {0, 0, .5f, .5f, NAN, NAN}), 1e-6, "ragged_softmax");
  }
}

TEST(RaggedAttention, a_query_without_keys_mixes_to_zero) {
  const Tensor y = ragged_mix(Tensor::of<float>({1}, {1}), Tensor::of<float>({1, 2}, {5, 6}), {2, 1}, {0, 1});
  expect_close(y, Tensor::of<float>({3, 2}, {0, 0, 0, 0, 5, 6}), 0, "ragged_mix");
}

TEST(RaggedAttention, views_of_columns_work) {
  const Rows queries{2, 1}, keys{3, 2};
  const Tensor query = random_tensor({3, 9}, 1, 1, DType::f32).view_columns(1, 5);
  const Tensor key = random_tensor({5, 8}, 2, 1, DType::f32).view_columns(3, 7);
  const Tensor v = random_tensor({4}, 3, 1, DType::f32), weights = random_tensor({8}, 4, 1, DType::f32);
  const Tensor q = query.clone(), k = key.clone();
  expect_close(additive_energy(query, key, v, queries, keys), additive_energy(q, k, v, queries, keys), 0,
               "additive_energy");
  expect_close(dot_energy(query, key, queries, keys), dot_energy(q, k, queries, keys), 1e-6, "dot_energy");
  expect_close(ragged_mix(weights, key, queries, keys), ragged_mix(weights, k, queries, keys), 1e-6,
               "ragged_mix");
}

TEST(RaggedAttention, bad_input_is_refused_with_a_reason) {
  const Rows queries{2, 1}, keys{3, 2};
  const Tensor query = random_tensor({3, 4}, 1), key = random_tensor({5, 4}, 2), v = random_tensor({4}, 3);
  expect_error([&] { pair_rows({2}, keys); },
               "pair_rows: queries for 1 sentences were given, but keys for 2");
  expect_error([&] { additive_energy(key, key, v, queries, keys); },
               "additive_energy: the shape of query is [5, 4], but [3, 4] was expected");
  expect_error([&] { additive_energy(query, key, random_tensor({3}, 3), queries, keys); },
               "additive_energy: the shape of v is [3], but [4] was expected");
  expect_error(
      [&] {
        dot_energy(query, random_tensor({5, 3}, 2), queries, keys);
      },
      "dot_energy: the shape of key is [5, 3], but [5, 4] was expected");
  expect_error(
      [&] {
        ragged_softmax(v, {2, 1});
      },
      "ragged_softmax: the shape of energy is [4], but [3] was expected");
  expect_error([&] { ragged_mix(v, key, queries, keys); },
               "ragged_mix: the shape of weights is [4], but [8] was expected");
  expect_error([&] { ragged_mix(random_tensor({8}, 1), query, queries, keys); },
               "ragged_mix: the shape of value is [3, 4], but [5, 4] was expected");
}

// Three one-dimensional words 我 [1], 爱 [2], 你 [3], each attending mostly to itself.
TEST(RaggedAttention, three_words_by_hand) {
  const Tensor weights = Tensor::of<double>({9}, {.6, .2, .2, .2, .6, .2, .2, .2, .6});
  Tensor energy(weights.shape(), DType::f64);
  for (int64_t i = 0; i < 9; ++i) energy.data<double>()[i] = std::log(weights.data<double>()[i]);
  expect_close(ragged_softmax(energy, pair_rows({3}, {3})), weights, 1e-12, "normalise");
  expect_close(ragged_mix(weights, Tensor::of<double>({3, 1}, {1, 2, 3}), {3}, {3}),
               Tensor::of<double>({3, 1}, {1.6, 2.0, 2.4}), 1e-12, "mix");
}

}  // namespace
}  // namespace attune
