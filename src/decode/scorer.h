// Scorer: how likely models find texts that are given.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/answers.h"
#include "models/task.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

struct ScorerSetup {
  const Task& task;
  Vocabularies vocabularies;
  int64_t longest = 0;  // text of the model, in tokens; 0: any
  int64_t mini_batch_words = 2000;
  bool answers = true;  // models that continue text: see Task::to_score
};

// What is scored is for the task of the models to say: every token of a target and </s>, given those before
// (and the source or prompt); every tag; the class; or every token with it alone masked.
class Scorer {
 public:
  Scorer(std::vector<WeightedModel> models, const ScorerSetup& setup);

  TaskColumns columns() const { return setup_.task.columns(); }

  // Of the columns of line `number` (from 0). Blank ones have no tokens. What the models cannot take is a
  // UsageError with the line's number.
  LineToScore line(int64_t number, std::span<const std::string> columns) const;

  // The log probabilities of the tokens of each line. They do not depend on the other lines.
  std::vector<std::vector<double>> score(std::span<const LineToScore> lines) const;

  std::vector<std::string> pieces(const LineToScore& line) const;

 private:
  std::vector<WeightedModel> models_;
  ScorerSetup setup_;
};

}  // namespace attune
