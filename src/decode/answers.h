// Answers of models at every position of a complete input: next words, masked words, tags, classes.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "decode/word_choice/next_words.h"
#include "models/model.h"

namespace attune {

// Models over one vocabulary; their probabilities are averaged by the weights, which sum to 1.
struct WeightedModel {
  const Model* model;  // must outlive this
  double weight = 1;
};

// Computes the distributions at the numbered rows of the models' features, some rows at a time so that the
// largest matrix stays small: `use` gets them with the index of their first row in `rows`.
void for_answers(std::span<const WeightedModel> models, const Batch& batch, std::span<const int64_t> rows,
                 const std::function<void(const NextWords&, size_t)>& use);

}  // namespace attune
