// AnswerFinder: the part of a passage that answers a question.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/text_model.h"

namespace attune {

struct FoundAnswer {
  std::string text;  // as the passage has it; empty: the question or the passage is blank
  double probability = 0;
  size_t begin = 0;  // byte of the passage
  int64_t cut = 0;   // tokens at the end of the passage that the model cannot read
};

class AnswerFinder {
 public:
  // The model must answer with spans.
  AnswerFinder(std::shared_ptr<const TextModel> model, int64_t mini_batch_words)
      : model_(std::move(model)), mini_batch_words_(mini_batch_words) {}

  struct Question {
    std::string question, passage;
  };
  // They do not depend on each other.
  std::vector<FoundAnswer> find(std::span<const Question> questions) const;

 private:
  std::shared_ptr<const TextModel> model_;
  int64_t mini_batch_words_;
};

}  // namespace attune
