// Filler: candidates for the masked tokens of a text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/text_model.h"

namespace attune {

struct FillerOptions {
  int64_t top = 5;  // candidates for each mask
  int64_t mini_batch_words = 2000;
};

// One or two texts as the models read them, and where they are masked.
struct FillerLine {
  TokenIds ids, segments;
  struct Mask {
    size_t at;
    bool blank;  // before it; a mask is a whole piece: in "the [MASK]", one such as "▁cat"
  };
  std::vector<Mask> masks;
};

class Filler {
 public:
  // The model must fill masks.
  Filler(std::shared_ptr<const TextModel> model, const FillerOptions& options);

  // Of texts that contain [MASK]. Blank ones have no tokens. A text without a mask, or one that is longer
  // than the models can read, is a UsageError with the line's number (`number` counts from 0).
  FillerLine line(int64_t number, std::span<const std::string> columns) const;

  // For each line and each of its masks, the likeliest tokens, best first, with all masks still masked. They
  // do not depend on the other lines.
  using Candidates = std::vector<NextWords::Word>;
  std::vector<std::vector<Candidates>> candidates(std::span<const FillerLine> lines) const;

  // The line with a token in place of its mask `mask`.
  FillerLine filled(const FillerLine& line, size_t mask, int32_t token) const;
  // Fills all masks from left to right, each with its likeliest token given the earlier ones.
  void fill_together(std::span<FillerLine> lines) const;

  std::string text(const FillerLine& line) const;  // a tab separates two texts
  std::string text_of(int32_t token) const { return vocabulary().decode({&token, 1}); }
  std::string piece(int32_t token) const { return vocabulary().piece(token); }

 private:
  const Vocabulary& vocabulary() const { return *model_->vocabularies().source; }

  std::shared_ptr<const TextModel> model_;
  FillerOptions options_;
  int32_t mask_, separator_;
  int32_t blank_;  // the piece ▁; -1 if there is none
};

}  // namespace attune
