// Whole training steps: forward with label smoothing and dropout, backward, clipping by the global norm,
// Adam.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "attune/autograd.h"
#include "bench/bench_case.h"
#include "config/yaml.h"
#include "models/model_config.h"
#include "tensor/precision.h"

namespace attune::bench {
namespace {

using Lengths = std::vector<std::pair<int64_t, int64_t>>;  // of source and target, a sentence

// Six of the batches that Multi30k's German-English training pairs make when they are sorted by source length
// and cut at 3,000 tokens (words and punctuation, and an end of sentence). bench/peers reads the same file.
std::vector<Lengths> multi30k() {
  return {
#include "bench/multi30k_lengths.txt"
  };
}
std::vector<Lengths> equal(size_t sentences, int64_t length) {
  return {Lengths(sentences, {length, length})};
}

struct Training {
  std::string name, config;
  int64_t words;
  std::vector<Lengths> batches;
  Precision precision = Precision::f32;
};

Tensor random_ids(int64_t count, int64_t words, const Random& random) {
  const Tensor ids({count}, DType::i32);
  for (int64_t i = 0; i < count; ++i)
    ids.data<int32_t>()[i] =
        static_cast<int32_t>(random.below(static_cast<uint64_t>(words), static_cast<uint64_t>(i)));
  return ids;
}

Batch random_batch(const Lengths& lengths, int64_t words) {
  std::vector<int64_t> source, target;
  for (const auto& [from, to] : lengths) source.push_back(from), target.push_back(to);
  const Rows read(source), written(target);
  return {.source = {random_ids(read.total(), words, Random(1)), read},
          .given = {random_ids(written.total(), words, Random(2)), written},
          .segments = {},
          .expected = random_ids(written.total(), words, Random(3))};
}

class Trainer {
 public:
  explicit Trainer(const Training& training)
      : model_(read_model_config(read_yaml(training.config, training.name))
                   ->make(Scope(parameters_, Random(1)), {training.words, training.words})),
        first_(Tensor::zeros(parameters_.values().shape())),
        second_(Tensor::zeros(parameters_.values().shape())) {
    set_precision(parameters_, training.precision);
    for (const Lengths& lengths : training.batches) batches_.push_back(random_batch(lengths, training.words));
  }

  void step_each_batch() {
    for (const Batch& batch : batches_) step(batch);
  }

 private:
  void step(const Batch& batch) {
    constexpr double kLongest = 1;  // norm of the gradient
    Pass pass = Pass::training(Random(1).stream(static_cast<uint64_t>(++step_)));
    parameters_.zero_gradients();
    const Loss result = model_->loss(batch, 0.1, pass);
    backward(result.loss, 1 / static_cast<double>(result.counted));
    const double norm = std::sqrt(squared_norm(parameters_.gradients()));
    adam(parameters_.values(), parameters_.gradients(), first_, second_,
         {.gradient_scale = std::min(1., kLongest / norm), .step = step_});
  }

  Parameters parameters_;
  std::unique_ptr<Model> model_;
  Tensor first_, second_;
  std::vector<Batch> batches_;
  int64_t step_ = 0;
};

struct Sizes {                             // of all batches
  double source = 0, target = 0;           // tokens
  double self = 0, causal = 0, cross = 0;  // pairs of query and key
};
Sizes sizes(const std::vector<Lengths>& batches) {
  Sizes sum;
  for (const Lengths& lengths : batches)
    for (const auto& [from, to] : lengths) {
      const auto n = static_cast<double>(from), m = static_cast<double>(to);
      sum.source += n, sum.target += m;
      sum.self += n * n, sum.causal += m * (m + 1) / 2, sum.cross += n * m;
    }
  return sum;
}

struct Targets {
  double one_thread, more_threads;
  double gain = 0, memory_share_f32 = 0;  // beside the same step in f32
};

// A multiplication of the forward pass comes with an addition, and with two of its kind in the backward pass.
BenchCase step(const Training& training, double multiplications, Targets targets) {
  const bool rounds = training.precision == Precision::bf16;
  return {.name = fmt::format("step_{}{}", training.name, rounds ? "_bf16" : ""),
          .set_up = [training]() -> Work {
            return [trainer = std::make_shared<Trainer>(training)] { trainer->step_each_batch(); };
          },
          .flops = 6 * multiplications,
          .speed = targets.one_thread,
          .speed_threaded = targets.more_threads,
          .f32 = rounds ? "step_" + training.name : "",
          .gain = targets.gain,
          .memory_share_f32 = targets.memory_share_f32};
}

BenchCase transformer(const std::string& name, int64_t layers, int64_t width, int64_t words,
                      const std::vector<Lengths>& batches, Targets targets, Precision precision) {
  const auto n = sizes(batches);
  const auto d = static_cast<double>(width), v = static_cast<double>(words);
  const double feed_forward = 8 * d * d;
  const double encoder = n.source * (4 * d * d + feed_forward) + n.self * 2 * d;
  const double decoder =
      n.target * (6 * d * d + feed_forward) + n.source * 2 * d * d + (n.causal + n.cross) * 2 * d;
  return step({.name = name,
               .config = fmt::format("{{type: transformer, encoder_layers: {0}, decoder_layers: {0}, "
                                     "d_model: {1}, heads: {2}, feed_forward: {3}, dropout: 0.1}}",
                                     layers, width, width / 64, 4 * width),
               .words = words,
               .batches = batches,
               .precision = precision},
              static_cast<double>(layers) * (encoder + decoder) + n.target * d * v, targets);
}

constexpr double kWords = 8000, kEmbedding = 256, kHidden = 512;

// Bahdanau et al. 2015: a bidirectional GRU, additive attention, a GRU.
BenchCase gru_attention(const std::string& name, const std::vector<Lengths>& batches, Targets targets,
                        Precision precision) {
  const auto n = sizes(batches);
  constexpr double h = kHidden, e = kEmbedding;
  const double encoder = n.source * (2 * 3 * h * (e + h) + 2 * h * h);
  const double decoder = n.target * (h * h + 3 * h * (e + 2 * h + h) + (e + h + 2 * h) * e);
  return step({.name = "gru_attention_" + name,
               .config = "{type: rnn, embedding: 256, hidden: 512, dropout: 0.1}",
               .words = static_cast<int64_t>(kWords),
               .batches = batches,
               .precision = precision},
              encoder + decoder + n.cross * 3 * h + n.target * e * kWords, targets);
}

// Sutskever et al. 2014, with two layers and without reversal.
BenchCase lstm(const std::string& name, const std::vector<Lengths>& batches, Targets targets,
               Precision precision) {
  const auto n = sizes(batches);
  constexpr double h = kHidden, e = kEmbedding, both_layers = 4 * h * (e + h) + 4 * h * (h + h);
  return step({.name = "lstm_" + name,
               .config = "{type: rnn, cell: lstm, embedding: 256, hidden: 512, encoder_layers: 2, "
                         "decoder_layers: 2, bidirectional: false, attention: none, dropout: 0.1}",
               .words = static_cast<int64_t>(kWords),
               .batches = batches,
               .precision = precision},
              (n.source + n.target) * both_layers + n.target * (h * e + e * kWords), targets);
}

std::vector<BenchCase> steps_in_f32() {
  constexpr auto in = Precision::f32;
  return {transformer("transformer_3x256_64x24", 3, 256, 8000, equal(64, 24), {1.6, 2}, in),
          transformer("transformer_3x256_multi30k", 3, 256, 8000, multi30k(), {2, 2.5}, in),
          transformer("transformer_6x512_32x32", 6, 512, 32000, equal(32, 32), {1.5, 1.5}, in),
          gru_attention("64x24", equal(64, 24), {1.8, 1.8}, in),
          gru_attention("multi30k", multi30k(), {2.5, 2.5}, in),
          lstm("64x24", equal(64, 24), {1.5, 1.5}, in),
          lstm("multi30k", multi30k(), {2, 2}, in)};
}

// Products of bf16 numbers; the peer has its own way to that.
std::vector<BenchCase> steps_in_bf16() {
  constexpr auto in = Precision::bf16;
  constexpr Targets kSmall{1.5, 1.5, 1.6}, kBase{1.5, 1.5, 1.75, 0.75}, kRecurrent{1.5, 1.5, 1.4};
  return {transformer("transformer_3x256_64x24", 3, 256, 8000, equal(64, 24), kSmall, in),
          transformer("transformer_3x256_multi30k", 3, 256, 8000, multi30k(), kSmall, in),
          transformer("transformer_6x512_32x32", 6, 512, 32000, equal(32, 32), kBase, in),
          gru_attention("64x24", equal(64, 24), kRecurrent, in),
          gru_attention("multi30k", multi30k(), kRecurrent, in),
          lstm("64x24", equal(64, 24), kRecurrent, in),
          lstm("multi30k", multi30k(), kRecurrent, in)};
}

const RegisterCases in_f32(steps_in_f32), in_bf16(steps_in_bf16);

}  // namespace
}  // namespace attune::bench
