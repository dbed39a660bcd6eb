// The Transformer, GPT and BERT: sizes, attention in a Lens, refusals, masking, prompts.
#include <gtest/gtest.h>

#include <map>

#include "attune/autograd.h"
#include "config/yaml.h"
#include "models/model_config.h"
#include "models/tasks/masking.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_error;

std::unique_ptr<Model> make(const std::string& text, Parameters& parameters, const Words& words = {11, 11}) {
  return read_model_config(read_yaml(text, "test.yml"))->make(Scope(parameters, Random(5)), words);
}

int64_t parameter_count(const std::string& text, const Words& words) {
  Parameters parameters;
  make(text, parameters, words);
  return parameters.count();
}

// Vaswani et al. 2017, Table 3: base has 65 million; the sizes in its text give 63.1.
TEST(Transformer, base_has_the_parameters_of_the_paper) {
  const int64_t v = 37000, d = 512, f = 2048, layers = 6;
  const int64_t norm = 2 * d, attention = 4 * (d * d + d), feed_forward = d * f + f + f * d + d;
  const int64_t count = parameter_count("type: transformer\n", {v, v});
  EXPECT_EQ(count, v * d + v                                             // embeddings, shared; output bias
                       + layers * (attention + feed_forward + 2 * norm)  // encoder
                       + layers * (2 * attention + feed_forward + 3 * norm));  // decoder
  EXPECT_NEAR(static_cast<double>(count), 65e6, 2e6);
}

TEST(Transformer, options_add_the_parameters_of_the_formula) {
  const std::string small =
      "type: transformer\nd_model: 8\nheads: 2\nfeed_forward: 6\nencoder_layers: 2\ndecoder_layers: 1\n";
  const int64_t base = parameter_count(small, {11, 11});
  EXPECT_EQ(parameter_count(small + "tied_output: false\n", {11, 11}), base + 11 * 8);
  EXPECT_EQ(parameter_count(small + "tied_embeddings: false\n", {5, 11}), base + 5 * 8);
  EXPECT_EQ(parameter_count(small + "positions: learned\nmax_positions: 9\n", {11, 11}), base + 2 * 9 * 8);
  EXPECT_EQ(parameter_count(small + "norm: pre\n", {11, 11}), base + 2 * 2 * 8);
  EXPECT_EQ(parameter_count(small + "norm_kind: rms\n", {11, 11}), base - 7 * 8);
  EXPECT_EQ(parameter_count(small + "activation: swiglu\n", {11, 11}), base + 3 * (8 * 6 - 6 - 8));
  // additive: W, its bias, U and v, for each of 4 attentions' 2 heads of size 4
  EXPECT_EQ(parameter_count(small + "attention: additive\n", {11, 11}), base + 8 * (2 * 4 * 4 + 2 * 4));
}

struct Seen final : Lens {
  struct Call {
    Tensor weights;
    Rows queries, keys;
    int heads;
  };
  std::map<std::string, Call> calls;

  void attention(AttentionName name, const Tensor& w, const Rows& q, const Rows& k, int heads) override {
    calls.insert_or_assign(name.str(), Call{w, q, k, heads});
  }
};

Batch small_batch() {
  return {.source = {Tensor::of<int32_t>({5}, {1, 2, 3, 4, 5}), Rows{3, 2}},
          .given = {Tensor::of<int32_t>({4}, {0, 6, 0, 7}), Rows{2, 2}},
          .segments = {},
          .expected = {}};
}

// Marian's decoder: the first word as in training, later ones with earlier words that are not normalised.
TEST(Transformer, without_step_norm_only_later_steps_differ) {
  const std::string config =
      "type: transformer\nd_model: 8\nheads: 2\nfeed_forward: 6\nencoder_layers: 1\ndecoder_layers: 2\n"
      "norm: pre\ndropout: 0\n";
  Parameters parameters(DType::f64), same(DType::f64);
  const auto trained = make(config, parameters), marian = make(config + "step_norm: false\n", same);
  const Batch batch = small_batch();
  const NoGrad no_grad;
  Pass pass;
  const Tensor expected = trained->features(batch, pass);
  testing::expect_close(marian->features(batch, pass), expected, 0, "all tokens at once");
  const auto& writer = dynamic_cast<const Writer&>(*marian);
  const auto state = writer.start(batch.source, pass);
  const auto step = [&](std::vector<int32_t> tokens) {
    return writer.step(one_token_each(tokens), *state, pass);
  };
  const Tensor first = step({0, 0}), second = step({6, 7});
  for (const int64_t sentence : {0, 1}) {
    const auto row = [](const Tensor& t, int64_t r) { return t.view_rows(r, r + 1); };
    testing::expect_close(row(first, sentence), row(expected, 2 * sentence), 1e-12, "first step");
    EXPECT_GT(std::abs(second.row<double>(sentence)[0] - expected.row<double>(2 * sentence + 1)[0]), 1e-3);
  }
}

TEST(Transformer, a_lens_sees_every_layer_and_head) {
  for (const std::string score : {"scaled_dot", "additive"}) {
    Parameters parameters(DType::f64);
    const auto model = make(
        "type: transformer\nd_model: 8\nheads: 2\nfeed_forward: 6\nencoder_layers: 1\n"
        "decoder_layers: 2\nattention: " +
            score + "\n",
        parameters);
    Seen lens;
    Pass pass(&lens);
    const Batch batch = small_batch();
    model->features(batch, pass);
    ASSERT_EQ(lens.calls.size(), 5u);
    for (const char* name : {"encoder.0.self", "decoder.0.self", "decoder.1.cross"})
      ASSERT_TRUE(lens.calls.contains(name)) << name;
    const auto& cross = lens.calls.at("decoder.1.cross");
    EXPECT_EQ(cross.heads, 2);
    EXPECT_EQ(cross.queries, batch.given.rows);
    EXPECT_EQ(cross.keys, batch.source.rows);
    ASSERT_EQ(cross.weights.size(), 2 * (2 * 3 + 2 * 2));
    const auto w = cross.weights.span<double>();
    for (const size_t row : {0u, 3u, 6u, 9u})
      EXPECT_NEAR(w[row] + w[row + 1] + w[row + 2], 1, 1e-12) << score;
    EXPECT_NEAR(w[12] + w[13], 1, 1e-12);
    EXPECT_NE(w[0], w[6]);  // the heads differ
    const auto self = lens.calls.at("decoder.0.self").weights.span<double>();
    EXPECT_EQ(self[0], 1);  // the first token sees only itself
    EXPECT_EQ(self[1], 0);
  }
}

TEST(Transformer, attention_dropout_of_per_head_scores_differs_between_heads) {
  Parameters parameters(DType::f64);
  const auto model = make(
      "type: transformer\nd_model: 8\nheads: 2\nfeed_forward: 6\nencoder_layers: 1\n"
      "decoder_layers: 1\nattention: additive\nattention_dropout: 0.5\n",
      parameters);
  Pass a = Pass::training(Random(1)), b = Pass::training(Random(1)), c = Pass::training(Random(2));
  const Tensor first = model->features(small_batch(), a);
  testing::expect_close(model->features(small_batch(), b), first, 0, "the same random numbers");
  EXPECT_NE(model->features(small_batch(), c).span<double>()[0], first.span<double>()[0]);
}

TEST(Models, refuse_configurations_that_make_no_sense) {
  const auto refused = [](const std::string& text, const std::string& message,
                          const Words& words = {11, 11}) {
    Parameters parameters;
    expect_error([&] { make(text, parameters, words); }, message);
  };
  refused("heads: 3\n", "type: the configuration should name the model's type");
  refused("type: transfomer\n",
          "type: it takes bert, deep_rnn, gpt, rnn, rnn_lm, transformer, but 'transfomer' was given, did you "
          "mean "
          "'transformer'?");
  refused("type: transformer\nheads: 3\n", "heads: d_model 512 is not divisible by 3 heads");
  refused("type: transformer\nhead: 4\n", "test.yml:2: unknown key 'head', did you mean 'heads'?");
  refused("type: transformer\nencoder_layers: 0\n", "encoder_layers: must be positive, but is 0");
  refused("type: transformer\nd_model: -8\n", "d_model: must be positive, but is -8");
  refused("type: transformer\nd_model: 9\nheads: 1\n", "positions: 'sinusoidal' needs an even d_model");
  refused("type: transformer\nd_model: 6\nheads: 2\npositions: rotary\n",
          "positions: 'rotary' rotates pairs of numbers, so it needs an even size of heads, not 3");
  refused("type: transformer\nvisibility: local-p\n",
          "visibility: it takes causal, edges, full, window, but 'local-p' was given");
  refused("type: transformer\nvisibility: window\n",
          "window: must be set if visibility is 'window', for example to 16");
  refused("type: rnn\nvisibility: window\n", "visibility: it takes full, local-m, local-p");
  refused("type: rnn\nattention: none\nvisibility: local-p\n", "visibility: this needs attention");
  refused("type: rnn\nreverse_source: true\nvisibility: local-m\n", "visibility: 'local-m' expects");
  refused("type: transformer\nattention: none\n",
          "attention: it takes additive, autocorrelation, concat, dot, general, leaky, mean, scaled_dot");
  refused("type: transformer\nactivation_dropout: 1.5\n",
          "activation_dropout: must be at least 0 and below 1");
  refused("type: transformer\nd_model: 8\n",
          "tied_embeddings: source and target have 5 and 11 words; tying needs a joint vocabulary", {5, 11});
  refused("type: bert\nlayers: -1\n", "layers: must be positive");
  refused("type: bert\ntask: guess\n",
          "'task' takes mask, classify, tag, answer, predict, but 'guess' was given");
  refused("type: gpt\nnorm: middle\n", "'norm' takes post, pre, none, but 'middle' was given");
  refused("type: rnn_lm\ntied_output: true\n",
          "tied_output: it needs states and word vectors of equal size, not 512 and 256");
}

TEST(Transformer, refuses_a_sentence_longer_than_its_limit) {
  Parameters parameters;
  const auto model = make("type: transformer\nd_model: 8\nheads: 2\nmax_positions: 2\n", parameters);
  Pass pass;
  expect_error([&] { model->features(small_batch(), pass); },
               "sentence 0 has 3 tokens, but the model reads at most 2 (max_positions)");
}

TEST(Bert, every_token_sees_both_sides_and_the_segments) {
  Parameters parameters(DType::f64);
  const auto model = make("type: bert\nlayers: 1\nd_model: 8\nheads: 2\nfeed_forward: 6\n", parameters);
  Pass pass;
  Batch batch = small_batch();
  const Tensor before = model->features(batch, pass);
  batch.source.ids = Tensor::of<int32_t>({5}, {1, 2, 9, 4, 5});
  const Tensor after = model->features(batch, pass);
  EXPECT_NE(after.row<double>(0)[0], before.row<double>(0)[0]);  // the first token sees the third
  EXPECT_EQ(after.row<double>(3)[0], before.row<double>(3)[0]);  // another text
  batch.segments = Tensor::of<int32_t>({5}, {0, 0, 0, 1, 1});
  EXPECT_NE(model->features(batch, pass).row<double>(3)[0], after.row<double>(3)[0]);
}

TEST(Bert, classifies_a_text_by_its_first_token) {
  Parameters parameters(DType::f64);
  const auto model =
      make("type: bert\ntask: classify\nlayers: 1\nd_model: 8\nheads: 2\n", parameters, {11, 3});
  Pass pass;
  EXPECT_EQ(model->logits(model->features(small_batch(), pass)).shape(), (Shape{2, 3}));
  expect_error(
      [&] {
        model->features(
            {.source = {Tensor({0}, DType::i32), Rows{0}}, .given = {}, .segments = {}, .expected = {}},
            pass);
      },
      "text 0 is empty");
}

TEST(Masking, chooses_15_percent_and_masks_80_of_100_of_them) {
  const int32_t words = 50, first = 5, mask = 3;
  std::vector<int32_t> ids(40000);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i % words);
  const Masked masked = mask_tokens(ids, {.mask = mask, .first_word = first, .words = words}, Random(7));
  int chosen = 0, hidden = 0, changed = 0, ordinary = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    ordinary += ids[i] >= first ? 1 : 0;
    if (masked.expected[i] == kIgnore) {
      ASSERT_EQ(masked.ids[i], ids[i]);
      continue;
    }
    ASSERT_EQ(masked.expected[i], ids[i]);
    ASSERT_GE(ids[i], first) << "special symbols stay";
    ++chosen;
    if (masked.ids[i] == mask)
      ++hidden;
    else if (masked.ids[i] != ids[i])
      ++changed;
    ASSERT_TRUE(masked.ids[i] == mask || (masked.ids[i] >= first && masked.ids[i] < words));
  }
  EXPECT_NEAR(chosen, 0.15 * ordinary, 250);
  EXPECT_NEAR(hidden, 0.8 * chosen, 150);
  EXPECT_NEAR(changed, 0.1 * chosen * 44 / 45, 120);
}

}  // namespace
}  // namespace attune
