// What a model does with attention that is not its own; and what its weights, gates and gradients say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "decode/search/search_fixture.h"
#include "look/attention_probe.h"
#include "look/gradients.h"
#include "models/edited_model.h"
#include "nn/close_lens.h"
#include "text/vocabulary/listed_vocabulary.h"

namespace attune {
namespace {

using testing::RandomModel;
using view::AttentionKind;

constexpr int64_t kWords = 9;

std::shared_ptr<const TextModel> text_model(const Model& model) {
  std::vector<ListedToken> tokens;
  for (const char* word : {"a", "b", "c", "d", "e", "f"}) tokens.push_back({word});
  const auto vocabulary = std::make_shared<ListedVocabulary>(VocabularyKind::word, tokens);
  return std::make_shared<const TextModel>(
      std::vector<WeightedModel>{{&model}},
      ModelFacts{
          .task = translate_task(), .name = "m", .type = "some", .vocabularies = {vocabulary, vocabulary}});
}

ProbeOptions short_search() { return {.search = {.beam_size = 3, .max_length = 6}}; }

const view::AttentionLayer& last_cross(const view::Attention& seen) {
  const auto found = std::ranges::find_if(
      seen.layers, [](const view::AttentionLayer& layer) { return layer.kind == AttentionKind::cross; });
  return *found;
}

double log_p(const view::Attention& seen) {
  double last = 0;
  for (const auto& node : seen.tree)
    if (node.on_result) last = node.score;
  return last;
}

const AttentionName kCross{AttentionName::decoder, 0, AttentionName::cross};

TEST(WhatIf, a_head_that_is_off_gives_nothing_and_the_output_is_another) {
  for (const std::string& type : testing::attending_types()) {
    const RandomModel model(type, kWords, 3);
    const AttentionEdits edits({{.where = kCross, .head = 0}});
    const auto changed = edited(*model.model, edits);
    const view::Attention before = AttentionProbe(text_model(*model.model), {}).look("a b c", "d e"),
                          after = AttentionProbe(text_model(*changed), {}).look("a b c", "d e");
    const auto& layer = last_cross(after);
    const size_t one = layer.queries * layer.keys;
    for (size_t i = 0; i < one; ++i) EXPECT_EQ(layer.weights[i], 0) << type;
    EXPECT_GT(std::abs(log_p(after) - log_p(before)), 1e-6) << type;
  }
}

TEST(WhatIf, without_edits_everything_stays_as_it_is) {
  for (const std::string& type : testing::attending_types()) {
    const RandomModel model(type, kWords, 3);
    const AttentionEdits elsewhere({{.where = {AttentionName::decoder, 77, AttentionName::cross}}});
    const auto same = edited(*model.model, elsewhere);
    const view::Attention a = AttentionProbe(text_model(*model.model), short_search()).look("a b c"),
                          b = AttentionProbe(text_model(*same), short_search()).look("a b c");
    EXPECT_EQ(a.target, b.target) << type;
    ASSERT_EQ(a.layers.size(), b.layers.size()) << type;
    for (size_t i = 0; i < a.layers.size(); ++i) EXPECT_EQ(a.layers[i].weights, b.layers[i].weights) << type;
  }
}

// Step by step in the search and in one pass: the same attention is moved, also if the source is read
// backwards.
TEST(WhatIf, attention_that_is_moved_is_where_it_was_put) {
  for (const std::string& type : testing::attending_types()) {
    const RandomModel model(type, kWords, 3);
    const AttentionEdits edits({{.where = kCross, .query = 1, .key = 2}});
    const auto changed = edited(*model.model, edits);
    const AttentionProbe probe(text_model(*changed), short_search());
    const view::Attention found = probe.look("a b c d");
    const auto& layer = last_cross(found);
    if (layer.queries < 2) continue;
    for (size_t h = 0; h < layer.matrices(); ++h)
      for (size_t k = 0; k < layer.keys; ++k)
        EXPECT_EQ(layer.weights[(h * layer.queries + 1) * layer.keys + k], k == 2 ? 1 : 0) << type;
    const view::Attention forced = probe.look("a b c d", found.target);
    if (found.decoder_outputs.back() != "</s>") continue;
    EXPECT_NEAR(log_p(forced), log_p(found), 1e-6) << type;
  }
}

TEST(WhatIf, a_search_begins_with_what_it_is_told) {
  const RandomModel model(testing::attending_types()[0], kWords, 3);
  ProbeOptions options = short_search();
  options.begin = "f f";
  const view::Attention seen = AttentionProbe(text_model(*model.model), options).look("a b c");
  ASSERT_GE(seen.decoder_outputs.size(), 2U);
  EXPECT_EQ(seen.decoder_outputs[0], "f");
  EXPECT_EQ(seen.decoder_outputs[1], "f");
  EXPECT_TRUE(seen.target.starts_with("f f"));
}

// h' = (1 - z) n + z h is the state before the next step.
// From the gates and the state before each step to the state before the next one.
void expect_gates_make_states(const view::LayerGates& layer) {
  const size_t h = layer.before.columns, gates = layer.gates.columns / h;
  ASSERT_EQ(layer.gates.columns, gates * h);
  ASSERT_EQ(layer.gates.rows, layer.before.rows);
  for (size_t step = 0; step + 1 < layer.gates.rows; ++step)
    for (size_t i = 0; i < h; ++i) {
      const size_t now = layer.backward ? layer.gates.rows - 1 - step : step;
      const size_t next = layer.backward ? now - 1 : now + 1;
      const auto gate = [&](size_t g) { return layer.gates.numbers[(now * gates + g) * h + i]; };
      const auto at = [&](const view::NumberTable& table, size_t row) { return table.numbers[row * h + i]; };
      if (layer.cell == "rnn") {
        EXPECT_NEAR(gate(0), at(layer.before, next), 1e-5);
      } else if (layer.cell == "gru") {
        EXPECT_NEAR((1 - gate(1)) * gate(2) + gate(1) * at(layer.before, now), at(layer.before, next), 1e-5);
      } else {
        const float c = gate(1) * at(layer.cell_before, now) + gate(0) * gate(2);
        EXPECT_NEAR(c, at(layer.cell_before, next), 1e-5);
        EXPECT_NEAR(gate(3) * std::tanh(c), at(layer.before, next), 1e-5);
      }
    }
}

TEST(Gates, make_the_next_states_of_encoder_and_decoder) {
  for (const std::string cell : {"rnn", "gru", "lstm"})
    for (const std::string wiring : {"bahdanau", "luong"}) {
      const RandomModel model("type: rnn\nembedding: 6\nhidden: 8\ndropout: 0\nencoder_layers: 2\ncell: " +
                                  cell + "\nwiring: " + wiring + "\n",
                              kWords, 3);
      const view::Attention seen =
          AttentionProbe(text_model(*model.model), {.numbers = true}).look("a b c", "d e f");
      ASSERT_EQ(seen.gates.size(), 5U) << cell << wiring;  // two layers in two directions, and the decoder
      size_t backward = 0;
      for (const view::LayerGates& layer : seen.gates) {
        EXPECT_EQ(layer.cell, cell);
        EXPECT_EQ(layer.gates.rows, 4U);
        EXPECT_EQ(layer.cell_before.numbers.empty(), cell != "lstm");
        backward += layer.backward ? 1 : 0;
        expect_gates_make_states(layer);
      }
      EXPECT_EQ(backward, 2U);
    }
}

// What is left of q after W x is the bias, which is the same for every token.
TEST(HeadMatrices, are_those_that_made_the_queries) {
  const RandomModel model(
      "type: transformer\nencoder_layers: 1\ndecoder_layers: 2\nd_model: 8\nheads: 2\nfeed_forward: 8\n",
      kWords, 3);
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
    const view::Attention seen =
        AttentionProbe(text_model(*model.model), {.numbers = true, .matrices = {.kind = kind, .head = 1}})
            .look("a b c", "d e");
    size_t kept = 0;
    for (const view::LayerInputs& inputs : seen.inputs) {
      if (inputs.query_weight.numbers.empty()) continue;
      ++kept;
      EXPECT_EQ(inputs.kind, kind);
      EXPECT_EQ(inputs.matrix_head, 1);
      EXPECT_EQ(inputs.query_weight.rows, 4U);
      EXPECT_EQ(inputs.out.rows, 8U);
      EXPECT_EQ(inputs.out.columns, 4U);
      const auto rest = [&](size_t t, size_t i) {
        float sum = 0;
        for (size_t c = 0; c < 8; ++c)
          sum += inputs.query_weight.numbers[i * 8 + c] * inputs.x.numbers[t * 8 + c];
        return inputs.queries.numbers[t * 8 + 4 + i] - sum;
      };
      for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(rest(0, i), rest(1, i), 1e-4);
    }
    EXPECT_EQ(kept, 1U);
  }
}

// Multiplies the vector of one token that a stack reads.
class ScalingLens final : public CloseLens {
 public:
  ScalingLens(AttentionName::Stack stack, int64_t token, double by) : stack_(stack), token_(token), by_(by) {}
  bool wants(AttentionName) const override { return false; }
  void attention(AttentionName, const Tensor&, const Rows&, const Rows&, int) override {}
  void inputs(AttentionName, const AttentionInputs&) override {}
  Tensor embedded(AttentionName::Stack stack, const Tensor& x) override {
    if (stack != stack_) return x;
    const Tensor changed = x.detach().clone();
    for (double& number : changed.row<double>(token_)) number *= by_;
    return changed;
  }

 private:
  AttentionName::Stack stack_;
  int64_t token_;
  double by_;
};

// x . dL/dx is the derivative of L by a factor of x.
TEST(Gradients, by_input_are_those_of_central_differences) {
  const std::vector<int32_t> read{3, 4, 5, 2}, written{6, 7, 2}, given{1, 6, 7};
  for (const std::string& type : testing::attending_types()) {
    if (type.find("reverse_source") != std::string::npos) continue;
    const RandomModel model(type, kWords, 3);
    const auto text = text_model(*model.model);
    const auto found = gradients_by_input(*text, read, written);
    ASSERT_EQ(found.size(), 2U) << type;
    for (const auto& [kind, table] : found) {
      const bool source = kind == AttentionKind::cross;
      ASSERT_EQ(table.rows, written.size()) << type;
      for (size_t k = 0; k < (source ? read.size() : given.size()); ++k) {
        const auto log_p = [&](double by) {
          ScalingLens lens(source ? AttentionName::encoder : AttentionName::decoder, static_cast<int64_t>(k),
                           by);
          Pass pass(&lens);
          const Tensor features = model.model->features(
              {.source = one_sentence(read), .given = one_sentence(given), .segments = {}, .expected = {}},
              pass);
          static constexpr double kWeight[] = {1};
          return NextWords({model.model->logits(features)}, kWeight);
        };
        constexpr double kStep = 1e-5;
        const NextWords more = log_p(1 + kStep), less = log_p(1 - kStep);
        for (size_t t = 0; t < written.size(); ++t) {
          const auto row = static_cast<int64_t>(t);
          const double slope = (more.log_p(row, written[t]) - less.log_p(row, written[t])) / (2 * kStep);
          EXPECT_NEAR(table.numbers[t * table.columns + k], slope, 1e-4 + 1e-3 * std::abs(slope))
              << type << " " << k << " " << t;
        }
      }
    }
  }
}

}  // namespace
}  // namespace attune
