// Words and characters of a text: the units of lengths and alignments.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compare/recipe.h"
#include "text/vocabulary/vocabulary.h"

namespace attune::compare {

int64_t count_units(std::string_view text, TextUnit unit);

// A text's tokens, and for each the number of the unit that it belongs to; -1 for spaces between words.
// Counting characters needs a vocabulary of characters: a UsageError for others.
struct TextUnitTokens {
  std::vector<int32_t> ids;
  std::vector<int64_t> units;
  int64_t count = 0;  // of units
};
TextUnitTokens unit_tokens(const Vocabulary& vocabulary, std::string_view text, TextUnit unit);

}  // namespace attune::compare
