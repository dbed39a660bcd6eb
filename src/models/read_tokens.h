// What a model reads for tokens: words, or the rows of numbers that a VectorSource has for them.
#pragma once

#include "base/places.h"
#include "nn/ragged.h"
#include "text/corpus/example.h"
#include "text/vocabulary/vocabulary.h"

namespace attune {

// Sentences whose rows of numbers, if they have any, are standardised as the vocabulary says.
Ragged read_tokens(const Vocabulary& vocabulary, const std::vector<TokenIds>& sentences);

// The same, and how to get back:  number = mean + unit * standardised number.  Both are [tokens, width], or
// undefined if nothing was standardised.
struct ReadNumbers {
  Ragged tokens;
  Tensor mean, unit;
};
ReadNumbers read_numbers(const Vocabulary& vocabulary, const std::vector<TokenIds>& sentences);

// What is known about where its tokens stand.
Places places_of(const Vocabulary& vocabulary);

// The numbers as they are: [tokens, width].
Tensor raw_numbers(const VectorSource& source, std::span<const int32_t> ids);

}  // namespace attune
