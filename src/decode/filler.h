// Filler: candidates for the masked tokens of a text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/answers.h"
#include "models/task.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

struct FillerSetup {
  std::shared_ptr<const Vocabulary> vocabulary;
  int64_t longest = 0;  // text of the model, in tokens; 0: any
  int64_t mini_batch_words = 2000;
  int64_t top = 5;  // candidates for each mask
};

// A text, or two, as the models read it, and where it is masked.
struct FillerLine {
  TokenIds ids, segments;
  struct Mask {
    size_t at;
    bool blank;  // before it; a mask stands for a whole piece: in "the [MASK]" for one such as "▁cat"
  };
  std::vector<Mask> masks;
};

class Filler {
 public:
  Filler(std::vector<WeightedModel> models, const FillerSetup& setup);

  // Of texts with [MASK] in them. Blank ones have no tokens. A text without a mask, or one that is longer
  // than the models can read, is a UsageError with the line's number (`number` counts from 0).
  FillerLine line(int64_t number, std::span<const std::string> columns) const;

  // For each line and each of its masks the likeliest tokens, best first, while all its masks are masked.
  // They do not depend on the other lines.
  using Candidates = std::vector<NextWords::Word>;
  std::vector<std::vector<Candidates>> candidates(std::span<const FillerLine> lines) const;

  // The line with a token in the place of its mask `mask`.
  FillerLine filled(const FillerLine& line, size_t mask, int32_t token) const;
  // Fills all masks from left to right, each with its likeliest token given those before.
  void fill_together(std::span<FillerLine> lines) const;

  std::string text(const FillerLine& line) const;  // a tab between two texts
  std::string text_of(int32_t token) const { return setup_.vocabulary->decode({&token, 1}); }
  std::string piece(int32_t token) const { return setup_.vocabulary->piece(token); }

 private:
  Vocabularies vocabularies() const { return {setup_.vocabulary, setup_.vocabulary}; }

  std::vector<WeightedModel> models_;
  FillerSetup setup_;
  int32_t mask_, separator_;
  int32_t blank_;  // the piece ▁, -1 if there is none
};

}  // namespace attune
