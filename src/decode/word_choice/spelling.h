// Forces an output to begin with a text. A text that ends within a word ("inter") cannot be forced token by
// token: the model would never write "▁international". So its last word is spelled in the pieces that the
// models prefer, the last of which may spell more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/search/ensemble.h"
#include "text/vocabulary/vocabulary.h"

namespace attune {

// The text of each token in a vocabulary of sub-words, with ▁ for a space; empty for symbols, bytes and other
// vocabularies, whose tokens end where the text ends.
class PieceTexts {
 public:
  explicit PieceTexts(const Vocabulary& vocabulary);
  const std::string& operator[](int32_t token) const { return texts_[static_cast<size_t>(token)]; }
  int32_t count() const { return static_cast<int32_t>(texts_.size()); }
  // How many more tokens a spelling may have than the vocabulary's own.
  int64_t most_more() const { return subwords_ ? 4 : 0; }

 private:
  std::vector<std::string> texts_;
  bool subwords_;
};

struct Beginning {
  std::vector<int32_t> tokens;                                   // fixed
  std::string rest;                                              // what the next token has to begin with
  std::vector<int32_t> choices(const PieceTexts& pieces) const;  // tokens that do; empty: any token may come
};

// The likeliest beginning that spells the text.
Beginning beginning_with(const std::string& text, const Vocabulary& vocabulary, const PieceTexts& pieces,
                         const Ensemble& models, const Ragged& source);

// The text that outputs were forced to begin with, as their tokens represent it: they lack unknown characters
// and runs of spaces.
class ForcedBeginning {
 public:
  ForcedBeginning(const std::string& beginning, const Vocabulary& vocabulary);

  // How many bytes of an output represent it; empty if the output does not begin with it (yet).
  std::optional<size_t> length_in(std::string_view output) const;

 private:
  std::string told_;
  bool blank_;  // it ends in a space that tokens do not represent
};

}  // namespace attune
