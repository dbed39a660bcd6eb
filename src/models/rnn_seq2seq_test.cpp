#include "models/rnn_seq2seq.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attune/autograd.h"
#include "config/entries.h"
#include "config/yaml.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_close;

constexpr int64_t kWords = 11;

Ragged sentences(std::initializer_list<std::initializer_list<int32_t>> lists) {
  std::vector<int32_t> ids;
  std::vector<int64_t> lengths;
  for (const auto& list : lists) {
    ids.insert(ids.end(), list.begin(), list.end());
    lengths.push_back(static_cast<int64_t>(list.size()));
  }
  return {Tensor::of<int32_t>({static_cast<int64_t>(ids.size())}, ids), Rows(lengths)};
}

RnnConfig read(const std::string& text) {
  RnnConfig config;
  config.embedding = 4;
  config.hidden = 6;
  config.dropout = 0;
  assign(fields_of(config), read_yaml(text, "test.yml"));
  config.validate();
  return config;
}

// A model of every wiring, score and cell, and of each option that changes the computation.
std::vector<std::string> variants() {
  std::vector<std::string> all{"attention: none\nfixed_vector: initial\nbidirectional: false\n",
                               "attention: none\nfixed_vector: every_step\n",
                               "attention: none\nreverse_source: true\ncell: lstm\nbidirectional: false\n",
                               "cell: lstm\nencoder_layers: 2\ndecoder_layers: 3\nresidual: true\n",
                               "cell: rnn\ntied_embeddings: true\ntied_output: true\n"};
  for (const std::string& score : score_names())
    for (const std::string wiring :
         {"wiring: bahdanau\n", "wiring: luong\n", "wiring: luong\ninput_feeding: true\n"})
      all.push_back("attention: " + score + "\nencoder_hidden: 3\nattention_hidden: 5\n" + wiring);
  return all;
}

struct Fixture {
  RnnConfig config;
  Parameters parameters;
  RnnSeq2Seq model;
  Ragged source = sentences({{1, 2, 3}, {4}, {5, 6, 7, 8}});
  Ragged given = sentences({{0, 9, 3, 1}, {0, 2}, {0, 7, 7}});
  Tensor expected = Tensor::of<int32_t>({9}, {9, 3, 1, 10, 2, 10, 7, 7, 10});

  explicit Fixture(const std::string& text, DType dtype = DType::f64)
      : config(read(text)), parameters(dtype), model(Scope(parameters, Random(5)), config, kWords, kWords) {}

  double loss() const {
    Pass pass;
    return model.loss(source, given, expected, 0.1, pass).loss.item();
  }
  Tensor features(const Ragged& from, const Ragged& to) const {
    const NoGrad no_grad;
    Pass pass;
    const auto state = model.start(from, pass);
    return model.step(to, *state, pass);
  }
};

TEST(RnnSeq2Seq, gradients_of_every_variant) {
  for (const std::string& text : variants()) {
    Fixture f(text);
    const Tensor values = f.parameters.values(), gradients = f.parameters.gradients();
    Pass pass;
    backward(f.model.loss(f.source, f.given, f.expected, 0.1, pass).loss);
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

TEST(RnnSeq2Seq, f32_equals_f64) {
  for (const std::string& text : variants()) {
    const Fixture wide(text), narrow(text, DType::f32);
    expect_close(narrow.features(narrow.source, narrow.given), wide.features(wide.source, wide.given), 1e-4,
                 text);
  }
}

TEST(RnnSeq2Seq, a_later_token_changes_no_earlier_output) {
  for (const std::string& text : variants()) {
    const Fixture f(text);
    const Ragged changed = sentences({{0, 9, 3, 8}, {0, 5}, {0, 7, 1}});
    const Tensor before = f.features(f.source, f.given), after = f.features(f.source, changed);
    for (const int64_t token : {0, 1, 2, 4, 6, 7})
      expect_close(after.view_rows(token, token + 1), before.view_rows(token, token + 1), 0, text);
    EXPECT_NE(after.row<double>(3)[0], before.row<double>(3)[0]) << text;
  }
}

TEST(RnnSeq2Seq, a_sentence_does_not_depend_on_its_batch) {
  for (const std::string& text : variants()) {
    const Fixture f(text);
    const Tensor all = f.features(f.source, f.given);
    expect_close(f.features(sentences({{1, 2, 3}}), sentences({{0, 9, 3, 1}})), all.view_rows(0, 4), 0, text);
    expect_close(f.features(sentences({{5, 6, 7, 8}}), sentences({{0, 7, 7}})), all.view_rows(6, 9), 0, text);
  }
}

TEST(RnnSeq2Seq, token_by_token_equals_all_at_once) {
  for (const std::string& text : variants()) {
    const Fixture f(text);
    const Tensor all = f.features(f.source, f.given);
    const NoGrad no_grad;
    Pass pass;
    auto state = f.model.start(f.source, pass);
    const Tensor first = f.model.step(sentences({{0}, {0}, {0}}), *state, pass);
    expect_close(first.view_rows(1, 2), all.view_rows(4, 5), 1e-12, text);
    // The second sentence is left out, and the first one comes twice, as in a beam.
    const int64_t chosen[] = {2, 0, 0};
    state = state->select(chosen);
    const Tensor second = f.model.step(sentences({{7}, {9}, {9}}), *state, pass);
    expect_close(second.view_rows(0, 1), all.view_rows(7, 8), 1e-12, text);
    expect_close(second.view_rows(2, 3), all.view_rows(1, 2), 1e-12, text);
    // Several tokens at once, not the same number for each sentence.
    const Tensor third = f.model.step(sentences({{7}, {3, 1}, {3}}), *state, pass);
    expect_close(third.view_rows(0, 1), all.view_rows(8, 9), 1e-12, text);
    expect_close(third.view_rows(1, 3), all.view_rows(2, 4), 1e-12, text);
    const Tensor fourth = f.model.step(sentences({{1}, {1}, {1}}), *state, pass);
    expect_close(fourth.view_rows(2, 3), all.view_rows(3, 4), 1e-12, text);
  }
}

struct Seen final : Lens {
  void attention(std::string_view, const Tensor& w, const Rows& q, const Rows& k, int) override {
    weights = w;
    queries = q;
    keys = k;
    ++count;
  }
  Tensor weights;
  Rows queries, keys;
  int count = 0;
};

TEST(RnnSeq2Seq, a_lens_sees_one_matrix_a_sentence_whatever_the_wiring) {
  for (const std::string wiring :
       {"wiring: bahdanau\n", "wiring: luong\n", "wiring: luong\ninput_feeding: true\n"}) {
    const Fixture f("attention: additive\n" + wiring);
    Seen lens;
    Pass pass(&lens);
    const auto state = f.model.start(f.source, pass);
    f.model.step(f.given, *state, pass);
    EXPECT_EQ(lens.count, 1);
    EXPECT_EQ(lens.queries, f.given.rows);
    EXPECT_EQ(lens.keys, f.source.rows);
    ASSERT_EQ(lens.weights.size(), 4 * 3 + 2 * 1 + 3 * 4);
    const auto w = lens.weights.span<double>();
    EXPECT_NEAR(w[0] + w[1] + w[2], 1, 1e-12);
    EXPECT_EQ(w[12], 1);  // the second sentence has one source token
    EXPECT_NEAR(w[14] + w[15] + w[16] + w[17], 1, 1e-12);
  }
}

TEST(RnnSeq2Seq, has_the_parameters_of_the_closed_formula) {
  const Fixture f("attention: additive\nattention_hidden: 5\n");
  const int64_t v = kWords, e = 4, h = 6, n = 5;
  const auto gru = [](int64_t in, int64_t out) { return 3 * out * (in + out) + 6 * out; };
  EXPECT_EQ(f.parameters.count(), 2 * v * e                          // embeddings
                                      + 2 * gru(e, h)                // encoder
                                      + (2 * h * h + h)              // first state
                                      + gru(e + 2 * h, h)            // decoder
                                      + (h * n + n) + 2 * h * n + n  // score: W, U, v
                                      + ((e + h + 2 * h) * e + e)    // readout
                                      + v * e + v);                  // output
}

// 32 pairs, by heart.
TEST(RnnSeq2Seq, overfits_a_few_pairs) {
  for (const std::string text :
       {"attention: none\ncell: lstm\n", "attention: additive\n", "attention: general\nwiring: luong\n",
        "attention: concat\nwiring: luong\ninput_feeding: true\n"}) {
    RnnConfig config = read(text);
    config.embedding = 32;
    config.hidden = 64;
    Parameters parameters;
    const RnnSeq2Seq model(Scope(parameters, Random(1)), config, 20, 20);
    std::vector<int32_t> source, given, expected;
    std::vector<int64_t> source_lengths, lengths;
    const Random random(2);
    for (uint64_t s = 0; s < 32; ++s) {
      const uint64_t n = 3 + random.stream(s).below(5, 0);
      given.push_back(0);
      for (uint64_t i = 0; i < n; ++i) {
        source.push_back(static_cast<int32_t>(2 + random.stream(s).below(18, 10 + i)));
        given.push_back(static_cast<int32_t>(2 + random.stream(s).below(18, 50 + i)));
        expected.push_back(given.back());
      }
      expected.push_back(1);
      source_lengths.push_back(static_cast<int64_t>(n));
      lengths.push_back(static_cast<int64_t>(n + 1));
    }
    const auto tensor = [](const std::vector<int32_t>& ids) {
      return Tensor::of<int32_t>({static_cast<int64_t>(ids.size())}, ids);
    };
    const Ragged from{tensor(source), Rows(source_lengths)}, to{tensor(given), Rows(lengths)};
    const Tensor m = Tensor::zeros(parameters.values().shape()),
                 v = Tensor::zeros(parameters.values().shape());
    double loss = 0;
    for (int64_t step = 1; step <= 150; ++step) {
      Pass pass;
      const CrossEntropy result = model.loss(from, to, tensor(expected), 0, pass);
      loss = result.loss.item() / static_cast<double>(result.counted);
      parameters.zero_gradients();
      backward(result.loss, 1 / static_cast<double>(result.counted));
      adam(parameters.values(), parameters.gradients(), m, v, {.learning_rate = 1e-2, .step = step});
    }
    EXPECT_LT(loss, 0.05) << text;
  }
}

TEST(RnnSeq2Seq, refuses_configurations_that_make_no_sense) {
  const auto refused = [](const std::string& text, const std::string& message) {
    testing::expect_error([&] { read(text); }, message);
  };
  refused("attention: none\nwiring: luong\n", "wiring: 'luong' needs an attention, but attention is none");
  refused("hidden: -3\n", "hidden: it should be positive, but is -3");
  refused("dropout: 1\n", "dropout: it should be at least 0 and below 1, but is 1");
  refused("attention: aditive\n", "did you mean 'additive'?");
  refused("attention: dot\n",
          "attention: 'dot' compares states of one size, but the encoder's have 12 and the decoder's 6; set "
          "encoder_hidden to 3");
  refused("input_feeding: true\n", "input_feeding: it belongs to wiring: luong");
  refused("fixed_vector: every_step\n", "fixed_vector: it is for attention: none");
  refused("cell: gruu\n", "'cell' takes rnn, gru, lstm, but 'gruu' was given, did you mean 'gru'?");
}

TEST(RnnSeq2Seq, refuses_what_it_cannot_read) {
  const Fixture f("attention: additive\n");
  Pass pass;
  testing::expect_error([&] { f.model.start(sentences({{1}, {}}), pass); }, "sentence 1 is empty");
  testing::expect_error([&] { f.model.start(sentences({{1, 11}}), pass); }, "id 11 at position 1");
  const auto state = f.model.start(f.source, pass);
  testing::expect_error([&] { f.model.step(sentences({{0}}), *state, pass); },
                        "there are tokens for 1 sentences, but 3 were started");
}

}  // namespace
}  // namespace attune
