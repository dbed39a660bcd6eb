#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "attune/threads.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;
using testing::expect_error;
using testing::OpCase;
using testing::random_tensor;

constexpr float kInf = std::numeric_limits<float>::infinity();

// Every seventh token, from the fourth, is not counted.
Tensor some_targets(int64_t tokens, int64_t v) {
  Tensor targets({tokens}, DType::i32);
  for (int64_t i = 0; i < tokens; ++i)
    targets.data<int32_t>()[i] = i % 7 == 3 ? kIgnore : static_cast<int32_t>((i * 31) % v);
  return targets;
}

OpCase loss_case(int64_t tokens, int64_t d, int64_t v, double smoothing) {
  return {"linear_cross_entropy",
          {random_tensor({tokens, d}, 1), random_tensor({v, d}, 2), random_tensor({v}, 3)},
          [=](const auto& in) {
            return linear_cross_entropy(in[0], in[1], in[2], some_targets(tokens, v), smoothing).loss;
          }};
}

// A token whose logits are these numbers: x = [1, 0], weight = [logits, 0].
CrossEntropy loss_of_logits(std::initializer_list<float> logits, int32_t target, double smoothing = 0) {
  const auto v = static_cast<int64_t>(logits.size());
  return linear_cross_entropy(Tensor::of<float>({1, 1}, {1}), Tensor::of<float>({v, 1}, logits), {},
                              Tensor::of<int32_t>({1}, {target}), smoothing);
}

Tensor waves(const Shape& shape, double step) {
  Tensor t(shape, DType::f64);
  for (int64_t i = 0; i < t.size(); ++i) t.data<double>()[i] = std::sin(step * static_cast<double>(i));
  return t;
}

TEST(LinearCrossEntropy, gradients) {
  for (const double smoothing : {0.0, 0.1}) {
    testing::expect_gradients(loss_case(5, 3, 7, smoothing));
    testing::expect_gradients(loss_case(1, 1, 2, smoothing));
  }
}

TEST(LinearCrossEntropy, fast_kernels_equal_the_reference) {
  for (const auto& [tokens, d, v] :
       {std::array<int64_t, 3>{1, 1, 1}, {1, 4, 5}, {9, 1, 17}, {30, 8, 33}, {0, 3, 4}, {300, 5, 100}})
    for (const double smoothing : {0.0, 0.1}) testing::expect_parity(loss_case(tokens, d, v, smoothing));
}

TEST(LinearCrossEntropy, several_chunks_equal_the_reference) {
  testing::expect_parity(loss_case(300, 3, 20001, 0.1), 5e-5);
}

// tests/golden/cross_entropy.py
TEST(LinearCrossEntropy, equals_pytorch) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double tolerance = dtype == DType::f32 ? 2e-6 : 1e-11;
    const Tensor x = leaf(waves({4, 3}, 0.1).to(dtype)), weight = leaf(waves({5, 3}, 0.7).to(dtype));
    const Tensor bias = leaf(waves({5}, 0.3).to(dtype));
    const CrossEntropy result =
        linear_cross_entropy(x, weight, bias, Tensor::of<int32_t>({4}, {2, 0, kIgnore, 4}), 0.1);
    backward(result.loss);
    EXPECT_NEAR(result.loss.item(), 5.19409617847, 5 * tolerance);
    EXPECT_EQ(result.counted, 3);
    expect_close(result.nll, Tensor::of<double>({4}, {1.8868697499, 1.76860635273, 0, 1.49650032441}),
                 tolerance, "nll");
    expect_close(leaf_gradient(x),
                 Tensor::of<double>({4, 3}, {0.985219021407, 1.13779527192, 0.75524862751,      //
                                             0.278583148352, -0.168721057431, -0.536673113565,  //
                                             0, 0, 0,                                           //
                                             -0.490979113825, 0.215310330099, 0.820335961462}),
                 tolerance, "dx");
    expect_close(leaf_gradient(weight),
                 Tensor::of<double>({5, 3}, {-0.0820477431792, -0.130114033141, -0.176880266694,   //
                                             0.115292253228, 0.144299507648, 0.171864969087,       //
                                             0.00347769115223, -0.0703410029383, -0.143456872979,  //
                                             0.438510748586, 0.525385581516, 0.607010935385,       //
                                             -0.475232949787, -0.469230053085, -0.458538764799}),
                 tolerance, "dweight");
    expect_close(leaf_gradient(bias),
                 Tensor::of<double>(
                     {5}, {-0.45169352436, 0.340424109026, -0.741164046431, 1.06889422391, -0.216460762145}),
                 tolerance, "dbias");
  }
}

TEST(LinearCrossEntropy, counts_tokens_and_hits_and_the_first_maximum_wins) {
  const Tensor x = Tensor::of<float>({4, 1}, {1, 1, 1, 1});
  const Tensor weight = Tensor::of<float>({3, 1}, {0, 2, 2});
  const auto result = linear_cross_entropy(x, weight, {}, Tensor::of<int32_t>({4}, {0, 1, 2, kIgnore}));
  EXPECT_EQ(result.counted, 3);
  EXPECT_EQ(result.correct, 1);
}

TEST(LinearCrossEntropy, nll_is_not_smoothed_and_adds_up_to_the_unsmoothed_loss) {
  const OpCase op = loss_case(20, 4, 9, 0);
  const auto run = [&](double smoothing) {
    return linear_cross_entropy(op.inputs[0], op.inputs[1], op.inputs[2], some_targets(20, 9), smoothing);
  };
  expect_close(run(0.3).nll, run(0).nll, 0, "nll");
  EXPECT_NEAR(sum(run(0.3).nll).item(), run(0).loss.item(), 1e-10);
  EXPECT_EQ(run(0).nll.span<double>()[3], 0);
}

TEST(LinearCrossEntropy, gradient_of_tokens_not_counted_is_zero) {
  const Tensor x = leaf(random_tensor({9, 4}, 1, 1, DType::f32));
  backward(linear_cross_entropy(x, random_tensor({5, 4}, 2, 1, DType::f32), {}, some_targets(9, 5)).loss);
  for (const float g : leaf_gradient(x).row<float>(3)) EXPECT_EQ(g, 0);
  EXPECT_NE(leaf_gradient(x).row<float>(4)[0], 0);
}

TEST(LinearCrossEntropy, gradients_go_to_results_as_well_as_to_leaves_and_follow_their_scale) {
  const Tensor values = random_tensor({6, 4}, 1, 1, DType::f32),
               words = random_tensor({5, 4}, 2, 1, DType::f32);
  const auto gradients = [&](bool as_results, double factor) {
    const Tensor x = leaf(values), weight = leaf(words);
    const auto through = [&](const Tensor& t) { return as_results ? scale(t, 1) : t; };
    backward(scale(linear_cross_entropy(through(x), through(weight), {}, some_targets(6, 5)).loss, factor));
    return std::pair(leaf_gradient(x), leaf_gradient(weight));
  };
  const auto [dx, dw] = gradients(false, 1);
  for (const bool as_results : {false, true}) {
    const auto [dx3, dw3] = gradients(as_results, 3);
    expect_close(dx3, scale(dx, 3), 1e-6, "dx");
    expect_close(dw3, scale(dw, 3), 1e-6, "dweight");
  }
}

TEST(LinearCrossEntropy, records_nothing_without_gradients) {
  const Tensor x = leaf(random_tensor({3, 2}, 1)), weight = random_tensor({4, 2}, 2);
  EXPECT_EQ(linear_cross_entropy(x.detach(), weight, {}, some_targets(3, 4)).loss.node(), nullptr);
  const NoGrad no_grad;
  EXPECT_EQ(linear_cross_entropy(x, weight, {}, some_targets(3, 4)).loss.node(), nullptr);
}

TEST(LinearCrossEntropy, views_of_columns_work) {
  const Tensor x = random_tensor({6, 9}, 1, 1, DType::f32).view_columns(2, 6);
  const Tensor weight = random_tensor({5, 7}, 2, 1, DType::f32).view_columns(1, 5);
  const auto loss = [&](const Tensor& a, const Tensor& w) {
    return linear_cross_entropy(leaf(a), leaf(w), {}, some_targets(6, 5)).loss;
  };
  expect_close(loss(x, weight), loss(x.clone(), weight.clone()), 0, "loss");
}

TEST(LinearCrossEntropy, losses_and_bias_gradient_have_the_same_bits_for_any_number_of_threads) {
  const auto run = [](int count) {
    const ThreadCount threads(count);
    return testing::evaluate(loss_case(200, 16, 9001, 0.1), DType::f32);
  };
  const auto one = run(1);
  for (const int count : {2, 3}) {
    const auto more = run(count);
    expect_close(more.result, one.result, 0, "loss");
    expect_close(more.gradients[2], one.gradients[2], 0, "dbias");
  }
}

TEST(LinearCrossEntropy, impossible_words_cost_nothing_and_an_impossible_target_infinity) {
  EXPECT_NEAR(loss_of_logits({0, -kInf, 0}, 2).loss.item(), std::log(2), 1e-6);
  EXPECT_EQ(loss_of_logits({0, -kInf, 0}, 1).loss.item(), kInf);
  EXPECT_EQ(loss_of_logits({0, -kInf, 0}, 2, 0.1).loss.item(), kInf);
}

TEST(LinearCrossEntropy, is_stable_for_large_logits) {
  EXPECT_NEAR(loss_of_logits({1e30f, 1e30f}, 1).loss.item(), std::log(2), 1e-6);
  EXPECT_EQ(loss_of_logits({1000, 0}, 1).loss.item(), 1000);
}

TEST(LinearCrossEntropy, nan_makes_the_loss_nan_and_no_token_correct) {
  for (const float bad : {NAN, kInf})
    for (const int32_t target : {0, 1, 2}) {
      const auto result = loss_of_logits({1, bad, 3}, target);
      EXPECT_TRUE(std::isnan(result.loss.item()));
      EXPECT_EQ(result.correct, 0);
    }
  EXPECT_TRUE(std::isnan(loss_of_logits({-kInf, -kInf}, 0).loss.item()));
}

TEST(LinearCrossEntropy, bad_input_is_refused_with_a_reason) {
  const Tensor x = random_tensor({2, 3}, 1), weight = random_tensor({5, 3}, 2);
  const Tensor targets = Tensor::of<int32_t>({2}, {1, 4});
  const auto refused = [](const Tensor& a, const Tensor& w, const Tensor& b, const Tensor& t,
                          double smoothing, const std::string& part) {
    expect_error([&] { linear_cross_entropy(a, w, b, t, smoothing); }, "linear_cross_entropy: " + part);
  };
  refused(x, weight, {}, Tensor::of<int32_t>({2}, {1, 5}), 0,
          "the target at position 1 is 5, but the vocabulary has 5 entries");
  refused(x, weight, {}, Tensor::of<int32_t>({2}, {-2, 0}), 0, "the target at position 0 is -2");
  refused(x, random_tensor({5, 4}, 2), {}, targets, 0, "the shape of weight is [5, 4], but [5, 3]");
  refused(x, weight, random_tensor({4}, 2), targets, 0, "the shape of bias is [4], but [5]");
  refused(x, weight, {}, Tensor::of<int32_t>({1}, {1}), 0, "the shape of targets is [1], but [2]");
  refused(x, weight, {}, Tensor::zeros({2}), 0, "the targets must be i32");
  refused(x, weight, {}, targets, 1.5, "label_smoothing must be 0 to 1, but is 1.5");
  refused(x, weight.to(DType::f32), {}, targets, 0, "f64 and f32 numbers cannot be mixed");
}

}  // namespace
}  // namespace attune
