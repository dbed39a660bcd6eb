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

  // The rows of the sample that a line names; none if it is blank. A UsageError if it cannot be read.
  TokenIds sample(const std::string& line) const;

  // For each sample as many rows as it has, laid out as in the files that were learnt from. They do not
  // depend on the other samples.
  std::vector<PredictedRows> predict(std::span<const TokenIds> samples) const;

 private:
  std::shared_ptr<const TextModel> model_;
  int64_t mini_batch_words_;
};

}  // namespace attune
