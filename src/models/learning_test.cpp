// Every type of model learns: a few pairs by heart, and to copy, reverse and sort.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "attune/autograd.h"
#include "config/yaml.h"
#include "models/model_config.h"

namespace attune {
namespace {

using Sentence = std::vector<int32_t>;
using Pair = std::pair<Sentence, Sentence>;

constexpr int32_t kBegin = 0, kEnd = 1, kFirst = 2;

// A writer gets <s> and the target; a reader answers each source token with the target token in that
// position.
Batch batch_of(const std::vector<Pair>& pairs, const Model& model) {
  const bool writes = dynamic_cast<const Writer*>(&model) != nullptr;
  std::vector<Sentence> source, given, expected;
  for (const auto& [from, to] : pairs) {
    source.push_back(from);
    expected.push_back(to);
    if (!writes) continue;
    given.push_back(to);
    given.back().insert(given.back().begin(), kBegin);
    expected.back().push_back(kEnd);
  }
  return {.source = ragged(source), .given = ragged(given), .segments = {}, .expected = ragged(expected).ids};
}

class Learner {
 public:
  Learner(const std::string& config, const Words& words, double rate)
      : model_(read_model_config(read_yaml(config + "dropout: 0\n", "test.yml"))
                   ->make(Scope(parameters_, Random(1)), words)),
        first_(Tensor::zeros(parameters_.values().shape())),
        second_(Tensor::zeros(parameters_.values().shape())),
        rate_(rate) {}

  const Model& model() const { return *model_; }

  // The mean loss before the update.
  double update(const Batch& batch) {
    Pass pass;
    const Loss result = model_->loss(batch, 0, pass);
    const auto counted = static_cast<double>(result.counted);
    parameters_.zero_gradients();
    backward(result.loss, 1 / counted);
    const double norm = std::sqrt(squared_norm(parameters_.gradients()));
    adam(parameters_.values(), parameters_.gradients(), first_, second_,
         {.learning_rate = rate_ * std::min(1.0, static_cast<double>(++step_) / 20),
          .gradient_scale = 1 / std::max(1.0, norm),
          .step = step_});
    return result.loss.item() / counted;
  }

  double accuracy(const Batch& batch) const {
    const NoGrad no_grad;
    Pass pass;
    const Loss result = model_->loss(batch, 0, pass);
    return static_cast<double>(result.correct) / static_cast<double>(result.counted);
  }

 private:
  Parameters parameters_;
  std::unique_ptr<Model> model_;
  Tensor first_, second_;
  double rate_;
  int64_t step_ = 0;
};

Sentence random_sentence(const Random& random, int32_t words, uint64_t shortest, uint64_t longest) {
  Sentence s(shortest + random.below(longest - shortest + 1, 0));
  for (size_t i = 0; i < s.size(); ++i)
    s[i] = kFirst + static_cast<int32_t>(random.below(static_cast<uint64_t>(words - kFirst), i + 1));
  return s;
}

struct Kind {
  std::string name, config;
};

// RNNs need a higher learning rate.
double rate(const Kind& kind) { return kind.config.find("rnn") != std::string::npos ? 1e-2 : 3e-3; }

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

const std::string kBlocks = "d_model: 64\nheads: 4\nfeed_forward: 128\nmax_positions: 32\n";

std::vector<Kind> kinds() {
  const std::string rnn = "type: rnn\nembedding: 32\nhidden: 64\n";
  return {
      {"rnn_without_attention", rnn + "attention: none\ncell: lstm\n"},
      {"bahdanau", rnn},
      {"luong", rnn + "wiring: luong\nattention: general\n"},
      {"luong_with_input_feeding", rnn + "wiring: luong\ninput_feeding: true\nattention: concat\n"},
      {"deep_rnn", "type: deep_rnn\nembedding: 32\nhidden: 48\nnorm: cell\nzero_start: true\n"},
      {"rnn_lm", "type: rnn_lm\nembedding: 32\nhidden: 96\ncell: gru\n"},
      {"transformer", "type: transformer\nencoder_layers: 2\ndecoder_layers: 2\n" + kBlocks},
      {"pre_norm_transformer",
       "type: transformer\nencoder_layers: 1\ndecoder_layers: 1\nnorm: pre\npositions: rotary\n" + kBlocks},
      {"gpt", "type: gpt\nlayers: 2\n" + kBlocks},
      {"bert", "type: bert\nlayers: 2\n" + kBlocks},
  };
}

class Learning : public ::testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(, Learning, ::testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param.name; });

// 32 pairs whose targets are unrelated to their sources.
TEST_P(Learning, overfits_32_pairs) {
  Learner learner(GetParam().config, {20, 20}, rate(GetParam()));
  std::vector<Pair> pairs;
  for (uint64_t s = 0; s < 32; ++s) {
    const Sentence from = random_sentence(Random(2).stream(s), 20, 3, 8);
    Sentence to = from;
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = kFirst + static_cast<int32_t>(Random(3).stream(s).below(18, i));
    pairs.emplace_back(from, to);
  }
  const Batch batch = batch_of(pairs, learner.model());
  double loss = 0;
  for (int step = 0; step < 200; ++step) loss = learner.update(batch);
  EXPECT_LT(loss, 0.05);
}

struct Task {
  std::string name;
  std::function<void(Sentence&)> change;
};

std::vector<Pair> pairs_of(const Task& task, uint64_t seed, uint64_t count) {
  std::vector<Pair> pairs;
  for (uint64_t s = 0; s < count; ++s) {
    const Sentence from = random_sentence(Random(seed).stream(s), 10, 3, 6);
    pairs.emplace_back(from, from);
    task.change(pairs.back().second);
  }
  return pairs;
}

const Task kCopy{"copy", [](Sentence&) {}};
const Task kReverse{"reverse", [](Sentence& s) { std::ranges::reverse(s); }};
const Task kSort{"sort", [](Sentence& s) { std::ranges::sort(s); }};

// Trains until the accuracy on unseen sequences is reached; returns it.
double train(Learner& learner, const Task& task, double enough) {
  const Batch fresh = batch_of(pairs_of(task, 999, 200), learner.model());
  double accuracy = 0;
  for (uint64_t step = 0; accuracy < enough && step < 1500;) {
    for (int i = 0; i < 50; ++i) learner.update(batch_of(pairs_of(task, ++step, 64), learner.model()));
    accuracy = learner.accuracy(fresh);
  }
  return accuracy;
}

TEST_P(Learning, copies_reverses_and_sorts) {
  for (const Task& task : {kCopy, kReverse, kSort}) {
    Learner learner(GetParam().config, {10, 10}, rate(GetParam()));
    EXPECT_GE(train(learner, task, 0.95), 0.95) << task.name;
  }
}

// How many of the written tokens (except </s>) attend most to the token that they mirror.
struct AntiDiagonal final : Lens {
  int64_t rows = 0, hits = 0;

  void attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                 int) override {
    if (name.kind != AttentionName::cross) return;
    const float* w = weights.data<float>();
    for (int64_t s = 0; s < queries.count(); ++s)
      for (int64_t i = 0, n = keys.length(s); i < queries.length(s); ++i, w += n) {
        if (i == n) continue;
        ++rows;
        hits += std::max_element(w, w + n) - w == n - 1 - i ? 1 : 0;
      }
  }
};

TEST(Reversing, attends_to_the_anti_diagonal) {
  for (const std::string config :
       {"type: rnn\nembedding: 32\nhidden: 64\n", "type: rnn\nembedding: 32\nhidden: 64\nwiring: luong\n",
        "type: transformer\nencoder_layers: 1\ndecoder_layers: 1\nd_model: 64\nheads: 1\nfeed_forward: "
        "128\n"}) {
    Learner learner(config, {10, 10}, rate({"", config}));
    EXPECT_GE(train(learner, kReverse, 0.999), 0.999) << config;
    AntiDiagonal lens;
    const NoGrad no_grad;
    Pass pass(&lens);
    learner.model().features(batch_of(pairs_of(kReverse, 555, 200), learner.model()), pass);
    EXPECT_GT(lens.rows, 700);
    EXPECT_GE(static_cast<double>(lens.hits), 0.95 * static_cast<double>(lens.rows)) << config;
  }
}

}  // namespace
}  // namespace attune
