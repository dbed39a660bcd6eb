// Writes a SentencePiece model from given pieces, for vocabularies of other toolkits.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "text/sentencepiece/model.h"

namespace attune {

// Text is not normalised; a space is added before it. `kind` is unigram or bpe.
std::string sentencepiece_model(std::span<const SentencePiece> pieces, VocabularyKind kind);

// The same model (its kind and its rules) with other pieces. It must be one that read_sentencepiece_model
// takes.
std::string with_pieces(std::string_view model, std::span<const SentencePiece> pieces);

}  // namespace attune
