// Scorer: the probabilities of given texts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/text_model.h"

namespace attune {

// The task decides what is scored: every token of a target and </s>, given the earlier ones (and the source
// or prompt); every tag; the class; or every token when only it is masked.
class Scorer {
 public:
  Scorer(std::shared_ptr<const TextModel> model, int64_t mini_batch_words);

  TaskColumns columns() const { return model_->task().columns(); }

  // Of the columns of line `number` (from 0). Blank ones have no tokens. A line that the models cannot read
  // is a UsageError with its number.
  LineToScore line(int64_t number, std::span<const std::string> columns) const;

  // The log probabilities of the tokens of each line. They do not depend on the other lines.
  std::vector<std::vector<double>> score(std::span<const LineToScore> lines) const;

  std::vector<std::string> pieces(const LineToScore& line) const;

 private:
  std::shared_ptr<const TextModel> model_;
  int64_t mini_batch_words_;
};

}  // namespace attune
