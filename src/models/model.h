// Model: what training, scoring and decoding see. One definition serves them all: a forward pass takes the
// target tokens and a DecoderState; in training these are all tokens and a fresh state, in decoding one token
// a sentence and the state that the steps before have left.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "attune/ops.h"
#include "nn/layers.h"

namespace attune {

// Sentences laid end to end.
struct Ragged {
  Tensor ids;  // i32 [tokens]
  Rows rows;
};

// How a forward pass runs: in training with dropout, each place with numbers of its own; with or without a
// Lens.
class Pass {
 public:
  Pass() = default;
  explicit Pass(Lens* lens) : lens_(lens) {}
  static Pass training(const Random& random) {
    Pass pass;
    pass.random_ = random;
    return pass;
  }

  // For the next place that drops a share p.
  Dropout dropout(double p) { return random_ ? Dropout{p, random_->stream(next_++)} : Dropout{}; }
  Lens* lens() const { return lens_; }

 private:
  std::optional<Random> random_;
  uint64_t next_ = 0;
  Lens* lens_ = nullptr;
};

// What decoding has computed so far for a batch of sentences (hypotheses): encoder keys, caches, recurrent
// states.
class DecoderState {
 public:
  virtual ~DecoderState() = default;
  // The state of the numbered sentences in that order; a number may come several times (beams) or not
  // (finished).
  virtual std::unique_ptr<DecoderState> select(std::span<const int64_t> sentences) const = 0;
};

// A model that writes tokens one after the other: encoder-decoders, and decoders alone (which ignore the
// source's tokens, but not how many sentences there are).
class Model {
 public:
  virtual ~Model() = default;

  virtual std::unique_ptr<DecoderState> start(const Ragged& source, Pass& pass) const = 0;
  // What the output layer sees for every token, given it and those before: [tokens, d]. Advances the state.
  virtual Tensor step(const Ragged& tokens, DecoderState& state, Pass& pass) const = 0;

  virtual const Tensor& output_weight() const = 0;  // [words, d]
  virtual const Tensor& output_bias() const = 0;    // [words]

  Tensor logits(const Tensor& features) const { return linear(features, output_weight(), output_bias()); }

  // Teacher forcing: the loss of `expected` where `given` are the tokens before each.
  CrossEntropy loss(const Ragged& source, const Ragged& given, const Tensor& expected, double label_smoothing,
                    Pass& pass) const {
    const auto state = start(source, pass);
    return linear_cross_entropy(step(given, *state, pass), output_weight(), output_bias(), expected,
                                label_smoothing);
  }
};

}  // namespace attune
