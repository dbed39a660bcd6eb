// RunningSentences: a batch of ragged sentences that advance together, one token at a time; shorter ones stop
// earlier. StepwiseLens: turns the attention of such steps into the one matrix per sentence that a Lens
// expects.
#pragma once

#include <vector>

#include "nn/close_lens.h"
#include "nn/recurrent_stack.h"

namespace attune {

class RunningSentences {
 public:
  // `tensors` have one row per sentence; undefined ones stay undefined.
  RunningSentences(const Rows& rows, std::vector<Tensor> tensors);

  void keep_those_with_token(int64_t t);

  // Of the running sentences, in their order.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  void set_tensors(std::vector<Tensor> tensors) { tensors_ = std::move(tensors); }
  std::vector<int64_t> tokens(int64_t t);  // their t-th tokens
  Rows queries() const;                    // one query for each running sentence, none for the others

  // Of all sentences after their last steps.
  std::vector<Tensor> all_tensors() const;

  // Takes the results of steps 0, 1, ..., with a row for every sentence that ran; returns one row per token,
  // sentence after sentence.
  Tensor in_sentence_order(const std::vector<Tensor>& steps) const;

 private:
  struct Stopped {
    std::vector<int64_t> sentences;
    std::vector<Tensor> tensors;
  };

  Rows rows_;
  std::vector<int64_t> running_;
  std::vector<Tensor> tensors_;
  std::vector<Stopped> stopped_;
  std::vector<int64_t> order_;  // the tokens in the order of the steps
};

// Of some tokens, from those of all: i32.
Tensor take_positions(const Tensor& positions, std::span<const int64_t> tokens);

class StepwiseLens final : public CloseLens {
 public:
  StepwiseLens(const Rows& queries, const Rows& keys) : queries_(queries), keys_(keys) {}

  void attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                 int heads) override;
  void inputs(AttentionName name, const AttentionInputs& inputs) override;
  void show(Lens& lens, AttentionName name) const;

 private:
  Rows queries_, keys_;
  std::vector<Tensor> steps_;
  std::vector<AttentionInputs> inputs_;  // of each step
};

}  // namespace attune
