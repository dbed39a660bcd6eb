// Properties of every model that writes: gradients, precision, causality, independence of the batch, and
// step-by-step decoding.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "attune/autograd.h"
#include "attune/threads.h"
#include "config/yaml.h"
#include "models/model_config.h"
#include "nn/attention/score.h"
#include "nn/low_rank.h"
#include "tensor/constants.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;

constexpr int64_t kWords = 11;

// One model for every wiring, score, cell, norm and kind of positions, and for each option that changes the
// computation.
std::vector<std::string> variants() {
  const std::string rnn = "type: rnn\nembedding: 4\nhidden: 6\n",
                    deep = "type: deep_rnn\nembedding: 4\nhidden: 6\n",
                    lm = "type: rnn_lm\nembedding: 6\nhidden: 6\n",
                    block = "d_model: 8\nheads: 2\nfeed_forward: 6\nmax_positions: 9\n",
                    transformer = "type: transformer\nencoder_layers: 1\ndecoder_layers: 2\n" + block,
                    gpt = "type: gpt\nlayers: 2\n" + block;
  std::vector<std::string> all{
      rnn + "attention: none\nfixed_vector: initial\nbidirectional: false\n",
      rnn + "attention: none\nfixed_vector: every_step\n",
      rnn + "attention: none\nreverse_source: true\ncell: lstm\nbidirectional: false\n",
      rnn + "cell: lstm\nencoder_layers: 2\ndecoder_layers: 3\nresidual: true\n",
      rnn + "cell: rnn\ntied_embeddings: true\ntied_output: true\n",
      deep,
      deep +
          "norm: cell\nnorm_epsilon: 0.1\nzero_start: true\ndecoder_cell: lstm\nencoder: "
          "alternating\nencoder_layers: 2\n",
      deep +
          "norm: gates\nnorm_epsilon: 0.1\ndecoder_layers: 3\ndecoder_transitions: 3\nupper_transitions: "
          "2\nresidual: true\n",
      deep + "encoder: bi_unidirectional\nencoder_layers: 2\nencoder_transitions: 2\nencoder_cell: rnn\n",
      lm + "cell: rnn\n",
      lm + "cell: gru\nlayers: 2\nresidual: true\n",
      lm + "tied_output: true\n",
      transformer + "activation: swiglu\ntied_output: false\n",
      transformer + "activation: swish\nfeed_forward_layers: 3\nembedding_norm: true\nzero_start: true\n",
      transformer + "activation: gelu\ntied_embeddings: false\nscale_embeddings: false\n",
      gpt,
      gpt + "positions: rotary\nrotary_base: 50\ntied_output: false\nrotary_stretch: 4\nrotary_trained: 20\n",
      gpt + "key_heads: 1\npositions: rotary\n",
      gpt + "key_heads: 1\nattention: additive\n",
      gpt + "activation: gelu_tanh\noutput_bias: false\n",
      gpt + "activation: conv\n",
      transformer + "activation: conv\nnorm: pre\n",
      transformer + "head_size: 2\nvalue_size: 3\n",
      transformer + "head_size: 4\nvalue_size: 2\npositions: rotary\n",
      gpt + "key_heads: 1\nhead_size: 6\nvalue_size: 3\npositions: shaw\n",
      transformer + "projections: false\nlast_heads: 1\nattention_activation: elu\n",
      "type: transformer\nencoder_layers: 2\ndecoder_layers: 2\nd_model: 8\nheads: 2\nfeed_forward: "
      "0\nmax_positions: 9\n"
      "attention_activation: relu\n",
      rnn + "wiring: previous\n"};
  for (const std::string& score : score_names(&ScoreTraits::whole_series, false)) {
    for (const std::string wiring : {"wiring: bahdanau\n", "wiring: luong\n",
                                     "wiring: luong\ninput_feeding: true\n", "wiring: previous\n"})
      all.push_back(rnn + "attention: " + score + "\nencoder_hidden: 3\nattention_hidden: 5\n" + wiring);
    all.push_back(transformer + "attention: " + score + "\n");
  }
  for (const std::string norm : {"norm: post\n", "norm: pre\n", "norm: pre\nnorm_kind: rms\n"})
    for (const std::string positions : {"none", "sinusoidal", "sinusoidal_halves", "sinusoidal_split",
                                        "learned", "rotary", "alibi", "t5", "shaw"})
      all.push_back(transformer + norm + "positions: " + positions + "\n");
  for (const std::string norm : {"post", "pre", "none"})
    all.push_back(transformer + "residual: false\nnorm: " + norm + "\n");
  all.push_back(transformer + "norm: none\n");
  for (const std::string score : {"scaled_dot", "additive"}) {
    const std::string attention = "attention: " + score + "\nwindow: 1\n";
    for (const std::string positions : {"none", "alibi", "t5", "shaw"})
      for (const std::string& type : {transformer, gpt})
        all.push_back(type + attention + "visibility: window\npositions: " + positions + "\n");
    for (const std::string local : {"local-m", "local-p"}) {
      all.push_back(transformer + attention + "cross_visibility: " + local + "\n");
      for (const std::string wiring :
           {"wiring: bahdanau\n", "wiring: luong\n", "wiring: luong\ninput_feeding: true\n"})
        all.push_back(rnn + attention + "encoder_hidden: 3\n" + wiring + "visibility: " + local + "\n");
    }
  }
  return all;
}

struct Fixture {
  Parameters parameters;
  std::unique_ptr<Model> model;
  Batch batch{.source = ragged({{1, 2, 3}, {4}, {5, 6, 7, 8}}),
              .given = ragged({{0, 9, 3, 1}, {0, 2}, {0, 7, 7}}),
              .segments = {},
              .expected = Tensor::of<int32_t>({9}, {9, 3, 1, 10, 2, 10, 7, 7, 10})};

  explicit Fixture(const std::string& text, DType dtype = DType::f64)
      : parameters(dtype),
        model(read_model_config(read_yaml(text + "dropout: 0\n", "test.yml"))
                  ->make(Scope(parameters, Random(5)), {kWords, kWords})) {}

  const Writer& writer() const { return dynamic_cast<const Writer&>(*model); }
  double loss() const {
    Pass pass;
    return model->loss(batch, 0.1, pass).loss.item();
  }
  Tensor features(const Ragged& source, const Ragged& given) const {
    const NoGrad no_grad;
    Pass pass;
    return model->features({source, given, {}, {}}, pass);
  }
  Tensor features() const { return features(batch.source, batch.given); }
};

TEST(Writers, gradients_of_every_variant) {
  for (const std::string& text : variants()) {
    Fixture f(text);
    const Tensor values = f.parameters.values(), gradients = f.parameters.gradients();
    Pass pass;
    backward(f.model->loss(f.batch, 0.1, pass).loss);
    const NoGrad no_grad;
    const Random random(3);
    for (const auto& entry : f.parameters.entries())
      for (uint64_t n = 0; n < 4; ++n) {  // a few numbers of each parameter
        const auto at =
            static_cast<size_t>(entry.offset) + random.below(static_cast<uint64_t>(entry.tensor.size()), n);
        double& x = values.span<double>()[at];
        const double before = x, step = 1e-5;
        x = before + step;
        const double above = f.loss();
        x = before - step;
        const double below = f.loss();
        x = before;
        ASSERT_NEAR(gradients.span<double>()[at], (above - below) / (2 * step), 1e-7) << text << entry.name;
      }
  }
}

// Gradients by name, of a model whose other parameters are constants.
std::map<std::string, Tensor> gradients_of(const std::string& text, const Parameters& base,
                                           const std::function<bool(const std::string&)>& trained,
                                           const LowRank* low_rank = nullptr) {
  Parameters parameters(
      [&](std::string_view name, const Shape&, DType) {
        return base.contains(name) && !trained(std::string(name)) ? base.at(name).detach() : Tensor();
      },
      DType::f64);
  const Scope scope(parameters, Random(5));
  const auto model = read_model_config(read_yaml(text + "dropout: 0\n", "test.yml"))
                         ->make(low_rank != nullptr ? scope.with(*low_rank) : scope, {kWords, kWords});
  parameters.zero_gradients();
  Pass pass;
  backward(model->loss(Fixture(text).batch, 0.1, pass).loss);
  std::map<std::string, Tensor> gradients;
  for (const auto& entry : parameters.entries())
    if (entry.trained()) gradients[entry.name] = leaf_gradient(entry.tensor).clone();
  return gradients;
}

TEST(Writers, gradients_do_not_depend_on_what_else_is_trained) {
  for (const std::string& text : variants()) {
    const Fixture f(text);
    const auto all = gradients_of(text, f.parameters, [](const std::string&) { return true; });
    const auto check = [&](const std::function<bool(const std::string&)>& trained) {
      const auto some = gradients_of(text, f.parameters, trained);
      EXPECT_LT(some.size(), all.size());
      for (const auto& [name, gradient] : some) expect_close(gradient, all.at(name), 1e-12, text + name);
    };
    std::vector<std::string> names;
    for (const auto& [name, gradient] : all) names.push_back(name);
    const auto number = [&](const std::string& name) {
      return std::ranges::find(names, name) - names.begin();
    };
    check([&](const std::string& name) { return number(name) % 2 == 0; });
    check([&](const std::string& name) { return number(name) % 2 == 1; });
    check([](const std::string& name) { return name.ends_with("bias"); });
  }
}

// d loss / d B = alpha/r dW A^T while B is zero.
TEST(Writers, gradients_of_adapters_follow_from_those_of_the_weights) {
  size_t adapters = 0;
  for (const std::string& text : variants()) {
    const Fixture f(text);
    const LowRank low_rank{.rank = 2, .alpha = 6, .places = {}};
    Parameters fresh(DType::f64);
    read_model_config(read_yaml(text, "test.yml"))
        ->make(Scope(fresh, Random(5)).with(low_rank), {kWords, kWords});
    if (fresh.count() == f.parameters.count()) continue;  // no linear layers
    const auto whole = gradients_of(text, f.parameters, [](const std::string&) { return true; }),
               some = gradients_of(
                   text, f.parameters, [](const std::string&) { return false; }, &low_rank);
    for (const auto& [name, gradient] : some) {
      const std::string layer = name.substr(0, name.rfind('.') + 1);
      if (name.ends_with(kLowRankA)) {
        expect_close(gradient, Tensor::zeros(gradient.shape(), DType::f64), 0, text + name);
        continue;
      }
      ++adapters;
      const Tensor a = fresh.at(layer + kLowRankA).detach();
      expect_close(gradient, scale(matmul(whole.at(layer + "weight"), a, false, true), 3), 1e-11,
                   text + name);
    }
  }
  EXPECT_GT(adapters, 500u);
}

TEST(Writers, f32_equals_f64) {
  for (const std::string& text : variants()) {
    const Fixture wide(text), narrow(text, DType::f32);
    expect_close(narrow.features(), wide.features(), 1e-4, text);
  }
}

TEST(Writers, a_later_token_changes_no_earlier_output) {
  for (const std::string& text : variants()) {
    const Fixture f(text);
    const Ragged changed = ragged({{0, 9, 3, 8}, {0, 5}, {0, 7, 1}});
    const Tensor before = f.features(), after = f.features(f.batch.source, changed);
    for (const int64_t token : {0, 1, 2, 4, 6, 7})
      expect_close(after.view_rows(token, token + 1), before.view_rows(token, token + 1), 0, text);
    EXPECT_NE(after.row<double>(3)[0], before.row<double>(3)[0]) << text;
  }
}

TEST(Writers, a_sentence_does_not_depend_on_its_batch) {
  for (const std::string& text : variants())
    for (const DType dtype : {DType::f64, DType::f32}) {
      const Fixture f(text, dtype);
      const Frozen constants(f.parameters);
      const Tensor all = f.features();
      expect_close(f.features(ragged({{1, 2, 3}}), ragged({{0, 9, 3, 1}})), all.view_rows(0, 4), 0, text);
      expect_close(f.features(ragged({{5, 6, 7, 8}}), ragged({{0, 7, 7}})), all.view_rows(6, 9), 0, text);
    }
}

TEST(Writers, token_by_token_equals_all_at_once) {
  for (const std::string& text : variants()) {
    const Fixture f(text);
    const Tensor all = f.features();
    const NoGrad no_grad;
    Pass pass;
    auto state = f.writer().start(f.batch.source, pass);
    const Tensor first = f.writer().step(ragged({{0}, {0}, {0}}), *state, pass);
    expect_close(first.view_rows(1, 2), all.view_rows(4, 5), 1e-12, text);
    // The second sentence is left out, and the first one appears twice, as in a beam.
    const int64_t chosen[] = {2, 0, 0};
    state = state->select(chosen);
    const Tensor second = f.writer().step(ragged({{7}, {9}, {9}}), *state, pass);
    expect_close(second.view_rows(0, 1), all.view_rows(7, 8), 1e-12, text);
    expect_close(second.view_rows(2, 3), all.view_rows(1, 2), 1e-12, text);
    // Several tokens at once, a different number for each sentence.
    const Tensor third = f.writer().step(ragged({{7}, {3, 1}, {3}}), *state, pass);
    expect_close(third.view_rows(0, 1), all.view_rows(8, 9), 1e-12, text);
    expect_close(third.view_rows(1, 3), all.view_rows(2, 4), 1e-12, text);
    const Tensor fourth = f.writer().step(ragged({{1}, {1}, {1}}), *state, pass);
    expect_close(fourth.view_rows(2, 3), all.view_rows(3, 4), 1e-12, text);
  }
}

// In f32, with sentences long enough for the training kernels, and widths beyond a register tile.
TEST(Writers, a_long_sentence_has_the_same_bits_alone_and_in_a_batch_for_any_threads) {
  const auto counting = [](int64_t from, int64_t count) {
    Tensor ids({count}, DType::i32);
    for (int64_t i = 0; i < count; ++i)
      ids.data<int32_t>()[i] = static_cast<int32_t>((from + 7 * i) % kWords);
    return ids;
  };
  const Ragged source{counting(1, 170), Rows{30, 110, 30}}, given{counting(2, 155), Rows{35, 115, 5}};
  const Ragged one_source{source.ids.view_rows(30, 140), Rows{110}},
      one_given{given.ids.view_rows(35, 150), Rows{115}};
  const std::string block = "d_model: 72\nheads: 2\nfeed_forward: 270\n",
                    rnn = "rnn\nembedding: 16\nhidden: 72\n";
  for (const std::string& type :
       {"transformer\nencoder_layers: 1\ndecoder_layers: 1\n" + block,
        "transformer\nencoder_layers: 1\ndecoder_layers: 1\nattention: additive\n" + block,
        "gpt\nlayers: 1\n" + block, rnn, rnn + "wiring: luong\nattention: concat\n",
        rnn + "wiring: luong\nattention: general\ncell: lstm\nbidirectional: false\n",
        "deep_" + rnn + "norm: cell\nencoder_cell: lstm\nzero_start: true\ndecoder_transitions: 3\n",
        rnn + "attention: none\ncell: rnn\n", std::string("rnn_lm\nembedding: 16\nhidden: 72\n")}) {
    const Fixture f("type: " + type, DType::f32);
    const Frozen constants(f.parameters);
    const Tensor all = f.features(source, given);
    for (const int threads : {1, 2, 3}) {
      const ThreadCount count(threads);
      expect_close(f.features(one_source, one_given), all.view_rows(35, 150), 0, type);
    }
  }
}

TEST(Writers, refuse_what_they_cannot_read) {
  for (const std::string& text : variants()) {
    const Fixture f(text);
    Pass pass;
    const auto state = f.writer().start(f.batch.source, pass);
    testing::expect_error([&] { f.writer().step(ragged({{0}}), *state, pass); },
                          "tokens for 1 sentences were given, but 3 were started");
    testing::expect_error([&] { f.writer().step(ragged({{0, 1}, {1, 2}, {1, 11}}), *state, pass); }, "id 11");
  }
}

}  // namespace
}  // namespace attune
