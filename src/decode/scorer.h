// Scorer: how likely models find texts that are given.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decode/answers.h"
#include "models/task.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

struct ScorerSetup {
  TaskKind task = TaskKind::translate;
  Vocabularies vocabularies;
  int64_t longest = 0;  // text of the model, in tokens; 0: any
  int64_t mini_batch_words = 2000;
  bool answers = true;  // write: a prompt is read as a source; if not, it is the beginning of the text
};

// A line as the models take it, with the tokens that they are asked about.
struct ScorerLine {
  std::vector<TokenIds> sides;
  TokenIds tokens;
  size_t given = 0;  // so many tokens of the last side come before those
};

// What is scored, by the task of the models:
//   translate, write   every token of the target and </s>, given those before (and the source or prompt)
//   tag, classify      every tag; the class
//   fill               every token with it alone masked, given all others: the pseudo log likelihood of
//                      Salazar et al. 2020; symbols and unknown words are not asked about
class Scorer {
 public:
  Scorer(std::vector<WeightedModel> models, const ScorerSetup& setup);

  TaskColumns columns() const { return task_columns(setup_.task); }

  // Of the columns of line `number` (from 0). Blank ones have no tokens. What the models cannot take is a
  // UsageError with the line's number.
  ScorerLine line(int64_t number, std::span<const std::string> columns) const;

  // The log probabilities of the tokens of each line. They do not depend on the other lines.
  std::vector<std::vector<double>> score(std::span<const ScorerLine> lines) const;

  std::vector<std::string> pieces(const ScorerLine& line) const;

 private:
  struct Question {
    size_t line, token;  // fill: the place of the masked token among the line's
  };
  std::vector<Question> questions(std::span<const ScorerLine> lines) const;
  std::vector<TokenIds> example(const ScorerLine& line, size_t token) const;
  void check_length(int64_t number, const std::vector<TokenIds>& sides) const;
  bool is_asked(int32_t token) const { return token > mask_; }

  std::vector<WeightedModel> models_;
  ScorerSetup setup_;
  std::unique_ptr<Task> task_;
  int32_t mask_ = -1;
};

}  // namespace attune
