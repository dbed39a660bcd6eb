// Predictor: rows of numbers for samples that are rows of numbers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/text_model.h"

namespace attune {

struct PredictedRows {
  int64_t rows = 0, width = 0;
  std::vector<float> numbers;  // row after row
};

class Predictor {
 public:
  // The model must answer with numbers.
  Predictor(std::shared_ptr<const TextModel> model, int64_t mini_batch_words)
      : model_(std::move(model)), mini_batch_words_(mini_batch_words) {}

  // For each line, which names a sample, as many rows as that has; none for a blank line. They are laid out
  // as in the files that were learnt from. They do not depend on the other lines.
  std::vector<PredictedRows> predict(std::span<const std::string> lines) const;

 private:
  std::shared_ptr<const TextModel> model_;
  int64_t mini_batch_words_;
};

}  // namespace attune
