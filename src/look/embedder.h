// Embedder: the vectors that a model makes of the tokens of a text, after one of its layers.
#pragma once

#include <string>
#include <vector>

#include "decode/text_model.h"
#include "view/attention.h"

namespace attune {

struct TokenVectors {
  std::vector<std::string> tokens;
  view::NumberTable vectors = {};  // [tokens, d]
};

class Embedder {
 public:
  // The model must outlive this. `layer`: from 0, or from the end: -1, -2, .. A UsageError for several
  // models, or one that reads no words.
  Embedder(const TextModel& model, int64_t layer);

  // Of the source, for a model that translates; otherwise of the text as the model reads it. A blank text has
  // no tokens. A UsageError if the text is too long, or the model has no such layer, or none to show.
  TokenVectors embed(const std::string& text) const;

 private:
  const TextModel& model_;
  int64_t layer_;
};

}  // namespace attune
