// Looks a SentencePiece model through before the library does: the library trusts the bytes of a model and
// reads out of bounds, or aborts, where they are damaged.
#pragma once

#include <string>
#include <string_view>

#include "text/vocabulary/vocabulary.h"

namespace attune {

// Throws a UsageError that names the file, the byte and what is wrong there; returns the kind of the model.
VocabularyKind check_sentencepiece_model(std::string_view content, const std::string& name);

// Of the table that a model normalises text by: why it cannot be used, or nothing.
std::string fault_of_charsmap(std::string_view table);

}  // namespace attune
