// A SentencePiece model as it stands in its file: pieces, and rules for the text around them. The bytes of a
// file are not trusted.
#pragma once

#include <cstdint>
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

// What is done to text before it is split (or after it was joined).
struct PieceRules {
  std::string characters;      // the compiled table of replacements (character_table.h); empty: none
  bool blank_first = true;     // a space is added, in front or behind
  bool single_blanks = true;   // one space for several, none at the ends
  bool escaped_blanks = true;  // a space becomes ▁
};

struct SentencePieceModel {
  std::vector<SentencePiece> pieces;
  VocabularyKind kind = VocabularyKind::unigram;
  PieceRules before, after;
  bool blanks_behind = false;  // a word ends with ▁ instead of beginning with it
  bool byte_fallback = false;  // what is no piece is split into bytes
  std::string unk = "<unk>", bos = "<s>", eos = "</s>";
  std::string unknown_text = " \u2047 ";  // how <unk> is written
};

// Throws a UsageError that names the file, the byte and the problem.
SentencePieceModel read_sentencepiece_model(std::string_view content, const std::string& name);

}  // namespace attune
