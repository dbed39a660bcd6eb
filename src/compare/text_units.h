// Words and characters of a text: what lengths and alignments are counted in.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compare/recipe.h"
#include "text/vocabulary/vocabulary.h"

namespace attune::compare {

int64_t count_units(std::string_view text, TextUnit unit);

// A text's tokens, and for each the number of the unit that it is a part of; -1 for blanks between words.
// Characters can be told apart only by a vocabulary of characters: a UsageError for others.
struct TextUnitTokens {
  std::vector<int32_t> ids;
  std::vector<int64_t> units;
  int64_t count = 0;  // of units
};
TextUnitTokens unit_tokens(const Vocabulary& vocabulary, std::string_view text, TextUnit unit);

}  // namespace attune::compare
