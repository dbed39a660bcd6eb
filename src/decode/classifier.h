// Classifier: the class of a text, or the tag of each of its tokens.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/text_model.h"

namespace attune {

struct ClassifierOptions {
  int64_t top = 1;  // how many classes to return
  int64_t mini_batch_words = 2000;
};

struct Label {
  std::string name;
  double log_p;
};

// One or two texts as the models read them.
struct ClassifierLine {
  std::vector<TokenIds> sides;  // Task::question
  int64_t cut = 0;              // tokens at the end that the models cannot read

  TokenIds tokens() const { return sides.empty() ? TokenIds() : sides[0]; }
};

class Classifier {
 public:
  // The model must answer with labels.
  Classifier(std::shared_ptr<const TextModel> model, const ClassifierOptions& options)
      : model_(std::move(model)), options_(options) {}

  size_t most_columns() const { return model_->task().columns().most - 1; }

  // Blank columns give a line without tokens.
  ClassifierLine line(std::span<const std::string> columns) const;

  // For each line, the likeliest labels, best first, of the text or of each token. They do not depend on the
  // other lines.
  using Labels = std::vector<Label>;
  std::vector<std::vector<Labels>> classify(std::span<const ClassifierLine> lines) const;

  std::vector<std::string> pieces(const ClassifierLine& line) const;

 private:
  std::shared_ptr<const TextModel> model_;
  ClassifierOptions options_;
};

}  // namespace attune
