// Counts the characters of a text before a vocabulary is learnt from it.
#pragma once

#include <cstdint>
#include <vector>

#include "text/vocabulary/vocabulary_trainer.h"

namespace attune {

struct TextSurvey {
  int64_t lines = 0, bytes = 0;
  // How often each character occurs, most frequent first; without white space and characters that
  // normalisation may remove.
  std::vector<int64_t> counts;

  int64_t characters() const { return static_cast<int64_t>(counts.size()); }
  int64_t needed_for(double share) const;  // how many characters, most frequent first, make up a share
};

TextSurvey survey(const std::vector<TextLines>& text);

}  // namespace attune
