// A text's translation has the same bytes whatever is translated with it, in whatever order, by however many
// threads: in f32, with constant weights.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "attune/threads.h"
#include "decode/search/search_fixture.h"
#include "decode/translator.h"
#include "tensor/quantized.h"
#include "text/vocabulary/listed_vocabulary.h"

namespace attune {
namespace {

using testing::RandomModel;

constexpr int kWords = 140;

Vocabularies vocabularies() {
  std::vector<ListedToken> tokens;
  for (int i = 0; i < kWords - 3; ++i) tokens.push_back({fmt::format("w{}", i), 1, false});
  const auto both = std::make_shared<ListedVocabulary>(VocabularyKind::word, tokens);
  return {both, both};
}

// Mostly short, some longer than a tile of attention.
std::vector<std::string> texts(int count) {
  std::vector<std::string> all;
  const Random random(3);
  for (uint64_t i = 0; i < static_cast<uint64_t>(count); ++i) {
    const uint64_t length = 1 + (i % 20 == 0 ? 60 : random.stream(i).below(9, 0));
    std::string text;
    for (uint64_t t = 1; t <= length; ++t) text += fmt::format("w{} ", random.stream(i).below(kWords - 3, t));
    all.push_back(text);
  }
  return all;
}

// Widths beyond a register tile, sums beyond a block of them.
std::vector<std::string> types() {
  const std::string block = "d_model: 72\nheads: 2\nfeed_forward: 270\nmax_positions: 80\ndropout: 0\n",
                    rnn = "type: rnn\nembedding: 20\nhidden: 70\nencoder_hidden: 35\ndropout: 0\n";
  return {"type: transformer\nencoder_layers: 1\ndecoder_layers: 1\n" + block,
          "type: transformer\nencoder_layers: 1\ndecoder_layers: 1\nattention: concat\nnorm: pre\n" + block,
          rnn,
          rnn + "cell: lstm\nwiring: luong\nattention: general\n",
          rnn + "wiring: luong\ninput_feeding: true\nattention: concat\n",
          rnn + "cell: rnn\nattention: none\n",
          "type: rnn_lm\nembedding: 20\nhidden: 70\ndropout: 0\n",
          "type: gpt\nlayers: 1\n" + block};
}

// A model whose matrices have 8 bits.
struct QuantizedModel {
  Parameters parameters;
  std::unique_ptr<Model> model;

  explicit QuantizedModel(const std::string& type, const RandomModel& full)
      : parameters(quantized(full.parameters)),
        model(read_model_config(read_yaml(type, "test.yml"))
                  ->make(Scope(parameters, Random(1)), {kWords, kWords})) {}
  const Writer& writer() const { return dynamic_cast<const Writer&>(*model); }
};

void expect_same_outputs(const Writer& writer, const std::string& type) {
  const auto sources = texts(150);
  const auto outputs = [&](int64_t mini_batch_words, int threads, const std::vector<size_t>& order) {
    const ThreadCount count(threads);
    const Translator translator(
        std::make_shared<const TextModel>(
            std::vector<WeightedModel>{{&writer}},
            ModelFacts{.task = translate_task(), .vocabularies = vocabularies()}),
        {.search = {.beam_size = 2, .n_best = 2, .max_length = 6}, .mini_batch_words = mini_batch_words});
    std::vector<TranslatorInput> shuffled;
    std::vector<std::string> lines(sources.size());
    for (const size_t i : order) shuffled.push_back({.text = sources[i]});
    const auto found = translator.search(shuffled);
    for (size_t i = 0; i < order.size(); ++i)
      for (const Hypothesis& h : found[i])  // with all bits of the scores
        lines[order[i]] += fmt::format("{} {:a} {:a}\n", translator.text(h, {}), h.score, h.normalised);
    return lines;
  };
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), 0);
  const auto expected = outputs(2000, 1, order);
  std::ranges::reverse(order);
  EXPECT_EQ(outputs(1, 1, order), expected) << "alone, " << type;
  EXPECT_EQ(outputs(100, 2, order), expected) << type;
  std::ranges::sort(order, {}, [](size_t i) { return Random(1).below(1 << 20, i); });
  EXPECT_EQ(outputs(333, 3, order), expected) << type;
  EXPECT_EQ(outputs(100000, 2, order), expected) << "all together, " << type;
}

TEST(SameOutputs, a_text_has_the_same_output_in_any_batch_and_order_for_any_threads) {
  for (const std::string& type : types()) {
    const RandomModel model(type, kWords, 3, DType::f32);
    expect_same_outputs(model.writer(), type);
    expect_same_outputs(QuantizedModel(type, model).writer(), "8 bits, " + type);
  }
}

}  // namespace
}  // namespace attune
