#include "models/rnn/rnn_seq2seq.h"

#include <gtest/gtest.h>

#include "config/yaml.h"
#include "testing/op_check.h"

namespace attune {
namespace {

constexpr int64_t kWords = 11;

RnnConfig read(const std::string& text) {
  RnnConfig config;
  config.embedding = 4;
  config.hidden = 6;
  config.dropout = 0;
  assign(fields_of(config), read_yaml(text, "test.yml"));
  config.validate();
  return config;
}

struct Fixture {
  Parameters parameters{DType::f64};
  RnnSeq2Seq model;
  Batch batch{.source = {Tensor::of<int32_t>({8}, {1, 2, 3, 4, 5, 6, 7, 8}), Rows{3, 1, 4}},
              .given = {Tensor::of<int32_t>({9}, {0, 9, 3, 1, 0, 2, 0, 7, 7}), Rows{4, 2, 3}},
              .segments = {},
              .expected = {}};

  explicit Fixture(const std::string& text)
      : model(Scope(parameters, Random(5)), read(text), {kWords, kWords}) {}
};

struct Seen final : Lens {
  void attention(AttentionName, const Tensor& w, const Rows& q, const Rows& k, int) override {
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
    f.model.features(f.batch, pass);
    EXPECT_EQ(lens.count, 1);
    EXPECT_EQ(lens.queries, f.batch.given.rows);
    EXPECT_EQ(lens.keys, f.batch.source.rows);
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

TEST(RnnSeq2Seq, refuses_configurations_that_make_no_sense) {
  const auto refused = [](const std::string& text, const std::string& message) {
    testing::expect_error([&] { read(text); }, message);
  };
  refused("attention: none\nwiring: luong\n", "wiring: 'luong' needs attention, but attention is none");
  refused("hidden: -3\n", "hidden: must be positive, but is -3");
  refused("dropout: 1\n", "dropout: must be at least 0 and below 1, but is 1");
  refused("attention: aditive\n", "did you mean 'additive'?");
  refused(
      "attention: dot\n",
      "attention: 'dot' compares states of equal size, but the encoder's have 12 and the decoder's 6; set "
      "encoder_hidden to 3");
  refused("input_feeding: true\n", "input_feeding: this needs wiring: luong");
  refused("fixed_vector: every_step\n", "fixed_vector: this needs attention: none");
  refused("cell: gruu\n", "'cell' takes rnn, gru, lstm, but 'gruu' was given, did you mean 'gru'?");
}

TEST(RnnSeq2Seq, refuses_an_empty_source) {
  const Fixture f("attention: additive\n");
  Pass pass;
  testing::expect_error(
      [&] {
        f.model.start({Tensor::of<int32_t>({1}, {1}), Rows{1, 0}}, pass);
      },
      "sentence 1 is empty");
}

}  // namespace
}  // namespace attune
