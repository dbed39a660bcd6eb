// Scorer: how likely models find texts that are given.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/text_model.h"

namespace attune {

// What is scored is for the task of the models to say: every token of a target and </s>, given those before
// (and the source or prompt); every tag; the class; or every token with it alone masked.
class Scorer {
 public:
  Scorer(std::shared_ptr<const TextModel> model, int64_t mini_batch_words);

  TaskColumns columns() const { return model_->task().columns(); }

  // Of the columns of line `number` (from 0). Blank ones have no tokens. What the models cannot take is a
  // UsageError with the line's number.
  LineToScore line(int64_t number, std::span<const std::string> columns) const;

  // The log probabilities of the tokens of each line. They do not depend on the other lines.
  std::vector<std::vector<double>> score(std::span<const LineToScore> lines) const;

  std::vector<std::string> pieces(const LineToScore& line) const;

 private:
  std::shared_ptr<const TextModel> model_;
  int64_t mini_batch_words_;
};

}  // namespace attune
