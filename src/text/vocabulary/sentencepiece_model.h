// Checks a SentencePiece model before the library reads it: the library trusts the bytes of a model and reads
// out of bounds, or aborts, if they are damaged.
#pragma once

#include <string>
#include <string_view>

#include "text/vocabulary/vocabulary.h"

namespace attune {

// Throws a UsageError that names the file, the byte and the problem; returns the kind of the model.
VocabularyKind check_sentencepiece_model(std::string_view content, const std::string& name);

// Whether each piece of a checked model is ordinary text: not a symbol, a byte or unused.
std::vector<bool> ordinary_pieces(std::string_view content);

// Why a model's table for normalising text cannot be used; empty if it can.
std::string fault_of_charsmap(std::string_view table);

}  // namespace attune
