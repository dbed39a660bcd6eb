// What a SentencePiece model does to text before it splits it: characters are replaced, spaces made single,
// added and escaped. User symbols stay as they are.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/sentencepiece/character_table.h"
#include "text/sentencepiece/model.h"

namespace attune {

struct NormalizedText {
  std::string text;
  std::vector<size_t> places;  // of each byte, and of the end: where it comes from in the original
};

class Normalizer {
 public:
  // The length of the user symbol that a text begins with; 0: none. Null if there are no such symbols.
  using SymbolLength = std::function<size_t(std::string_view)>;

  Normalizer(const PieceRules& rules, bool blanks_behind, SymbolLength symbol)  // the rules must stay
      : rules_(rules), table_(rules.characters), blanks_behind_(blanks_behind), symbol_(std::move(symbol)) {}

  NormalizedText normalize(std::string_view text) const;

 private:
  struct Step {
    std::string_view written;
    size_t length;  // of what was read
  };
  Step next(std::string_view text) const;

  const PieceRules& rules_;
  CharacterTable table_;
  bool blanks_behind_;
  SymbolLength symbol_;
};

}  // namespace attune
