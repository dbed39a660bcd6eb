// Model: what training, scoring and decoding see. One definition serves them all: a forward pass takes the
// target tokens and a DecoderState; in training these are all tokens and a fresh state, in decoding one token
// a sentence and the state that the steps before have left.
#pragma once

#include <limits>
#include <memory>
#include <span>

#include "nn/pass.h"
#include "nn/ragged.h"

namespace attune {

// What a model is trained on: sentences laid end to end and what it should answer.
struct Batch {
  Ragged source;    // what is read; without tokens for a model that only writes
  Ragged given;     // teacher forcing: the token before each expected one
  Tensor segments;  // i32, one a source token: which of two texts it belongs to; undefined: all of the first
  Tensor expected;  // i32, one a row of features; kIgnore where there is nothing to answer
  Tensor links = {};  // f32, for a Guide: 1 where an expected token should look at a source token, else 0
};

// A network that answers with a distribution over words (tags, classes).
class Model {
 public:
  virtual ~Model() = default;

  // What the output layer sees for each expected answer: [answers, d].
  virtual Tensor features(const Batch& batch, Pass& pass) const = 0;

  virtual const Tensor& output_weight() const = 0;  // [words, d]
  virtual const Tensor& output_bias() const = 0;    // [words]

  Tensor logits(const Tensor& features) const { return linear(features, output_weight(), output_bias()); }

  CrossEntropy loss(const Batch& batch, double label_smoothing, Pass& pass) const {
    return linear_cross_entropy(features(batch, pass), output_weight(), output_bias(), batch.expected,
                                label_smoothing);
  }
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

// A model that writes tokens one after the other. An encoder-decoder reads the source; a decoder alone takes
// it as the beginning of what it continues.
class Writer : public Model {
 public:
  virtual std::unique_ptr<DecoderState> start(const Ragged& source, Pass& pass) const = 0;
  // What the output layer sees for every token, given it and those before: [tokens, d]. Advances the state.
  virtual Tensor step(const Ragged& tokens, DecoderState& state, Pass& pass) const = 0;

  // How many tokens it can take behind a source of that many.
  virtual int64_t room(int64_t /*source_tokens*/) const { return std::numeric_limits<int64_t>::max(); }

  Tensor features(const Batch& batch, Pass& pass) const final {
    const auto state = start(batch.source, pass);
    return step(batch.given, *state, pass);
  }
};

}  // namespace attune
