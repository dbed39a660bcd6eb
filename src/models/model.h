// Model: the interface for training, scoring and decoding. One definition serves them all: a forward pass
// takes the target tokens and a DecoderState; in training, all tokens and a fresh state; in decoding, one
// token per sentence and the state after the previous steps.
#pragma once

#include <limits>
#include <memory>
#include <span>

#include "nn/pass.h"
#include "nn/ragged.h"

namespace attune {

// A training batch: sentences laid end to end and the expected answers.
struct Batch {
  Ragged source;      // without tokens for a model that only writes
  Ragged given;       // teacher forcing: the token before each expected one
  Tensor segments;    // i32, one per source token: which of two texts it belongs to; undefined: all the first
  Tensor expected;    // i32, one per row of features; kIgnore where no answer is expected
  Tensor links = {};  // f32, for a Guide: 1 where an expected token should attend to a source token, else 0
  // Instead of words: [answers, width], standardised as  number = mean + unit * standardised number  if mean
  // and unit, of the same shape, are there.
  Tensor numbers = {}, mean = {}, unit = {};
  ErrorKind error = ErrorKind::squared;
  // Instead of words: f32 [tokens], 1 for the first token of each text's answer, or for the last, else 0.
  Tensor span_first = {}, span_last = {};
};

// The loss of a batch. For numbers, `nll` is the error.
struct Loss : CrossEntropy {
  double squared = 0, absolute = 0;  // errors of numbers
};

// A network that answers with a distribution over words (tags, classes), with numbers, or with a span of the
// text that it reads: the two numbers of a token's row of logits say how likely it begins or ends there.
class Model {
 public:
  virtual ~Model() = default;

  // The input of the output layer for each expected answer: [answers, d].
  virtual Tensor features(const Batch& batch, Pass& pass) const = 0;

  virtual const Tensor& output_weight() const = 0;  // [words, d]
  virtual const Tensor& output_bias() const = 0;    // [words]

  Tensor logits(const Tensor& features) const { return linear(features, output_weight(), output_bias()); }

  Loss loss(const Batch& batch, double label_smoothing, Pass& pass) const {
    return loss_of(features(batch, pass), batch, label_smoothing);
  }
  Loss loss_of(const Tensor& features, const Batch& batch, double label_smoothing) const;
};

// The state of decoding for a batch of sentences (hypotheses): encoder keys, caches, recurrent states.
class DecoderState {
 public:
  virtual ~DecoderState() = default;
  // The state of the numbered sentences in that order; a number may appear several times (beams) or not at
  // all (finished).
  virtual std::unique_ptr<DecoderState> select(std::span<const int64_t> sentences) const = 0;
};

// A model that writes tokens one after another. An encoder-decoder reads the source; a decoder-only model
// takes it as the beginning of the text that it continues.
class Writer : public Model {
 public:
  virtual std::unique_ptr<DecoderState> start(const Ragged& source, Pass& pass) const = 0;
  // The input of the output layer for every token, given it and the earlier ones: [tokens, d]. Advances the
  // state.
  virtual Tensor step(const Ragged& tokens, DecoderState& state, Pass& pass) const = 0;

  // How many tokens it can take after a source of that length.
  virtual int64_t room(int64_t /*source_tokens*/) const { return std::numeric_limits<int64_t>::max(); }

  Tensor features(const Batch& batch, Pass& pass) const final {
    const auto state = start(batch.source, pass);
    return step(batch.given, *state, pass);
  }
};

}  // namespace attune
