#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "ops/attention/additive_kernels.h"
#include "ops/kernels.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;
using testing::expect_error;
using testing::OpCase;
using testing::random_tensor;

OpCase attention_case(const Rows& queries, const Rows& keys, int64_t n, int64_t e, double deviation = 1) {
  return {"additive_attention",
          {random_tensor({queries.total(), n}, 1, deviation), random_tensor({keys.total(), n}, 2, deviation),
           random_tensor({n}, 3, 1 / std::sqrt(n)), random_tensor({keys.total(), e}, 4)},
          [=](const auto& in) { return additive_attention(in[0], in[1], in[2], in[3], queries, keys); }};
}

// The calls to a lens.
struct Seen final : Lens {
  void attention(AttentionName name, const Tensor& shown, const Rows& queries, const Rows& keys,
                 int heads) override {
    names.push_back(name);
    weights = shown;
    EXPECT_EQ(heads, 1);
    EXPECT_EQ(pair_rows(queries, keys).total(), shown.size());
  }
  std::vector<AttentionName> names;
  Tensor weights;
};

TEST(AdditiveAttention, gradients_for_sentences_of_any_lengths) {
  testing::expect_gradients(attention_case({2, 1, 3}, {4, 2, 1}, 3, 4));
  testing::expect_gradients(attention_case({0, 2, 0, 3}, {3, 0, 0, 5}, 2, 3));
}

TEST(AdditiveAttention, fast_kernels_equal_the_reference_for_sentences_of_any_lengths) {
  for (const int64_t n : {1, 16, 65, 130})
    for (const int64_t e : {1, 16, 50, 259}) {
      testing::expect_parity(attention_case({2, 1, 3}, {4, 2, 9}, n, e));
      testing::expect_parity(attention_case({0, 2, 0, 3}, {3, 0, 0, 5}, n, e));
    }
}

TEST(AdditiveAttention, fast_kernels_equal_the_reference_where_exponentials_would_overflow) {
  testing::expect_parity(attention_case({3, 4}, {5, 6}, 37, 6, 60));
}

TEST(AdditiveAttention, saturates_like_tanh) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const Tensor key = Tensor::of<float>({2, 1}, {0, -1}), value = Tensor::of<float>({2, 1}, {1, 3});
  for (const float large : {30.f, 1e30f, inf}) {
    const Tensor y = additive_attention(Tensor::of<float>({1, 1}, {large}), key, Tensor::of<float>({1}, {5}),
                                        value, {1}, {2});
    EXPECT_EQ(y.item(), 2) << large;
  }
}

TEST(AdditiveAttention, nan_stays_in_its_sentence) {
  const Tensor query = random_tensor({4, 20}, 1, 1, DType::f32),
               key = random_tensor({6, 20}, 2, 1, DType::f32);
  const Tensor v = random_tensor({20}, 3, 1, DType::f32), value = random_tensor({6, 5}, 4, 1, DType::f32);
  const Tensor before = additive_attention(query, key, v, value, {2, 2}, {3, 3});
  key.row<float>(1)[7] = NAN;
  const Tensor after = additive_attention(query, key, v, value, {2, 2}, {3, 3});
  EXPECT_TRUE(std::isnan(after.row<float>(0)[0]));
  EXPECT_TRUE(std::isnan(after.row<float>(1)[4]));
  expect_close(after.view_rows(2, 4), before.view_rows(2, 4), 0, "the other sentence");
}

TEST(AdditiveAttention, a_sentence_has_the_same_bits_alone_and_in_a_batch) {
  const OpCase batch = attention_case({3, 40, 2}, {9, 5, 30}, 70, 21);
  const auto gradients_of = [&](int64_t q0, int64_t q1, int64_t k0, int64_t k1, const Rows& queries,
                                const Rows& keys) {
    std::vector<Tensor> in;
    for (const Tensor& t : batch.inputs) in.push_back(t.to(DType::f32));
    const Tensor query = leaf(in[0].view_rows(q0, q1)), key = leaf(in[1].view_rows(k0, k1));
    const Tensor value = leaf(in[3].view_rows(k0, k1));
    const Tensor y = additive_attention(query, key, in[2], value, queries, keys);
    backward(sum(mul(y, y.detach())));
    return std::vector{y.detach(), leaf_gradient(query), leaf_gradient(key), leaf_gradient(value)};
  };
  const auto all = gradients_of(0, 45, 0, 44, {3, 40, 2}, {9, 5, 30});
  const auto second = gradients_of(3, 43, 9, 14, {40}, {5});
  expect_close(all[0].view_rows(3, 43), second[0], 0, "result");
  expect_close(all[1].view_rows(3, 43), second[1], 0, "dquery");
  expect_close(all[2].view_rows(9, 14), second[2], 0, "dkey");
  expect_close(all[3].view_rows(9, 14), second[3], 0, "dvalue");
}

TEST(AdditiveAttention, same_bits_for_any_number_of_threads) {
  testing::expect_same_for_any_threads(attention_case({90, 1, 7}, {11, 0, 23}, 150, 300));
}

TEST(AdditiveAttention, views_of_columns_work) {
  const Tensor query = random_tensor({3, 9}, 1, 1, DType::f32).view_columns(1, 5);
  const Tensor key = random_tensor({5, 8}, 2, 1, DType::f32).view_columns(3, 7);
  const Tensor value = random_tensor({5, 30}, 3, 1, DType::f32).view_columns(2, 23);
  const auto run = [](const Tensor& q, const Tensor& k, const Tensor& w) {
    const Tensor lq = leaf(q), lk = leaf(k), lw = leaf(w);
    const Tensor y = additive_attention(lq, lk, random_tensor({4}, 4, 1, DType::f32), lw, {2, 1}, {3, 2});
    backward(sum(mul(y, y.detach())));
    return std::vector{y.detach(), leaf_gradient(lq), leaf_gradient(lk), leaf_gradient(lw)};
  };
  const auto views = run(query, key, value), copies = run(query.clone(), key.clone(), value.clone());
  for (size_t i = 0; i < views.size(); ++i) expect_close(views[i], copies[i], 0, "views");
}

TEST(AdditiveAttention, only_the_gradients_that_are_needed_are_made) {
  const OpCase op = attention_case({2, 1}, {3, 2}, 5, 4);
  const auto all = testing::evaluate(op, DType::f32).gradients;
  for (size_t needed = 0; needed < 4; ++needed) {
    OpCase part = op;
    part.inputs = {op.inputs[needed]};
    part.run = [&](const auto& in) {
      std::vector<Tensor> every;
      for (const Tensor& input : op.inputs) every.push_back(input.to(DType::f32));
      every[needed] = in[0];
      return op.run(every);
    };
    expect_close(testing::evaluate(part, DType::f32).gradients[0], all[needed], 0, std::to_string(needed));
  }
}

TEST(AdditiveAttention, gradients_add_up_over_the_steps_of_a_decoder_and_over_uses_of_a_tensor) {
  const Rows one{1, 1}, keys{3, 2};
  const OpCase steps{"steps",
                     {random_tensor({2, 4}, 1), random_tensor({5, 4}, 2), random_tensor({4}, 3)},
                     [=](const auto& in) {
                       const Tensor key = scale(in[1], 2);  // not a leaf
                       Tensor state = in[0];
                       for (int step = 0; step < 3; ++step)
                         state = add(additive_attention(state, key, in[2], key, one, keys), state);
                       return state;
                     }};
  testing::expect_gradients(steps);
  testing::expect_parity(steps);
}

TEST(AdditiveAttention, tanh_is_good_to_3e_7) {
  std::vector<float> scratch;
  for (float q = -19; q < 19; q += 0.37f)
    for (float k = -19; k < 19; k += 0.0137f) {
      const float v = 1;
      float energy = 0;
      additive_energies({{&q, 1}, 1, {&k, 1}, 1, &v, 1}, &energy, scratch);
      ASSERT_NEAR(energy, std::tanh(double{q} + double{k}), 3e-7) << q << " + " << k;
    }
}

TEST(AdditiveAttention, a_lens_sees_weights_that_mix_to_the_result) {
  const OpCase op = attention_case({2, 0, 3}, {4, 2, 5}, 6, 7);
  std::vector<Tensor> in;
  for (const Tensor& input : op.inputs) in.push_back(input.to(DType::f32));
  const AttentionName name{AttentionName::decoder, 0, AttentionName::cross};
  const auto look = [&] {
    Seen seen;
    const Tensor y = additive_attention(in[0], in[1], in[2], in[3], {2, 0, 3}, {4, 2, 5}, &seen, name);
    EXPECT_EQ(seen.names, std::vector<AttentionName>{name});
    expect_close(ragged_mix(seen.weights, in[3], {2, 0, 3}, {4, 2, 5}), y, 1e-6, "mixed weights");
    return seen.weights;
  };
  const Tensor fast = look();
  const ReferenceKernels reference;
  expect_close(fast, look(), 1e-6, "weights");
}

TEST(AdditiveAttention, bad_input_is_refused_with_a_reason) {
  const Tensor query = random_tensor({3, 4}, 1), key = random_tensor({5, 4}, 2), v = random_tensor({4}, 3);
  const Tensor value = random_tensor({5, 6}, 4);
  const auto refused = [](const Tensor& q, const Tensor& k, const Tensor& w, const Tensor& x,
                          const Rows& queries, const std::string& part) {
    expect_error([&] { additive_attention(q, k, w, x, queries, {3, 2}); }, "additive_attention: " + part);
  };
  refused(query, key, v, value, {3}, "queries for 1 sentences were given, but keys for 2");
  refused(query, key, v, value, {2, 2}, "the shape of query is [3, 4], but [4, 4] was expected");
  refused(query, random_tensor({5, 3}, 2), v, value, {2, 1}, "the shape of key is [5, 3], but [5, 4]");
  refused(query, key, random_tensor({3}, 2), value, {2, 1}, "the shape of v is [3], but [4]");
  refused(query, key, v, random_tensor({4, 6}, 2), {2, 1}, "the shape of value is [4, 6], but [5, 6]");
  refused(query, key, v, value.to(DType::f32), {2, 1}, "f64 and f32 numbers cannot be mixed");
}

}  // namespace
}  // namespace attune
