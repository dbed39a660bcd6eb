// Writes a SentencePiece model from given pieces, for vocabularies of other toolkits.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary/vocabulary.h"

namespace attune {

// SentencePiece's numbers. Text is never split into unused pieces; a user piece is never split.
enum class PieceType : uint8_t { normal = 1, unknown = 2, control = 3, user = 4, unused = 5, byte = 6 };

struct SentencePiece {
  std::string text;  // ▁ for a space
  float score = 0;
  PieceType type = PieceType::normal;
};

// Text is not normalised; a space is added before it. `kind` is unigram or bpe.
std::string sentencepiece_model(std::span<const SentencePiece> pieces, VocabularyKind kind);

// What a model does to text before it looks for pieces.
struct PieceRules {
  std::string characters;  // SentencePiece's compiled table of replacements
  bool blank_first = true, single_blanks = true;
};
PieceRules rules_of(std::string_view model);  // one that check_sentencepiece_model has accepted

// The pieces of a model that check_sentencepiece_model has accepted, and the same model (its kind and its
// normalisation of text) with other pieces.
std::vector<SentencePiece> pieces_of(std::string_view model);
std::string with_pieces(std::string_view model, std::span<const SentencePiece> pieces);

}  // namespace attune
