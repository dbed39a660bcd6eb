// Writes a SentencePiece model from given pieces, for vocabularies of other toolkits.
#pragma once

#include <span>
#include <string>

#include "text/vocabulary/vocabulary.h"

namespace attune {

enum class PieceType : uint8_t { normal = 1, unknown = 2, control = 3, byte = 6 };  // SentencePiece's numbers

struct SentencePiece {
  std::string text;  // ▁ for a space
  float score = 0;
  PieceType type = PieceType::normal;
};

// Text is not normalised; a space is added before it. `kind` is unigram or bpe.
std::string sentencepiece_model(std::span<const SentencePiece> pieces, VocabularyKind kind);

}  // namespace attune
