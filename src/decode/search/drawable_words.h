// The words that sampling may draw at a step: those of the probabilities at a temperature, restricted to the
// top_k likeliest and, of these, the fewest that together have top_p (Fan et al. 2018; Holtzman et al. 2020).
#pragma once

#include <vector>

#include "decode/search/search_options.h"
#include "decode/word_choice/next_words.h"

namespace attune {

struct DrawableWord {
  int32_t id;
  double p;  // positive; together they are 1
};

// In an order that depends only on the probabilities.
std::vector<DrawableWord> drawable_words(const NextWords& words, int64_t row, const SearchOptions& options);

}  // namespace attune
