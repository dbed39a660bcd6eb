// Vocabularies of a multilingual model, for one target language.
#pragma once

#include <string>
#include <vector>

#include "text/vocabulary/vocabularies.h"

namespace attune {

// The same, but the tokens of a source text begin with that of the language. A UsageError if the vocabulary
// does not have it.
Vocabularies towards(const Vocabularies& vocabularies, const std::string& language);

// The languages that have a token.
std::vector<std::string> languages_with_token(const Vocabulary& vocabulary);

}  // namespace attune
