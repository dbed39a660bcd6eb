// An output that has to begin with a text. A text that ends within a word ("inter") cannot be forced token by
// token: the model would never write "▁international". So its last word is spelled in whichever pieces the
// models like best, the last of which may spell more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/search/ensemble.h"
#include "text/vocabulary/vocabulary.h"

namespace attune {

// What each token of a vocabulary of sub-words spells, with ▁ for a blank; nothing for symbols, bytes and
// other vocabularies, whose tokens end where the text says.
class PieceTexts {
 public:
  explicit PieceTexts(const Vocabulary& vocabulary);
  const std::string& operator[](int32_t token) const { return texts_[static_cast<size_t>(token)]; }
  int32_t count() const { return static_cast<int32_t>(texts_.size()); }
  // How many tokens more than the vocabulary has for it a text may be spelled in.
  int64_t most_more() const { return subwords_ ? 4 : 0; }

 private:
  std::vector<std::string> texts_;
  bool subwords_;
};

struct Beginning {
  std::vector<int32_t> tokens;                                   // that are settled
  std::string rest;                                              // what the next token has to begin with
  std::vector<int32_t> choices(const PieceTexts& pieces) const;  // those that do; none: any token may come
};

// The beginning that has the greatest probability by the models, of those that spell the text.
Beginning beginning_with(const std::string& text, const Vocabulary& vocabulary, const PieceTexts& pieces,
                         const Ensemble& models, const std::vector<int32_t>& source);

// The text that outputs were made to begin with, as their tokens tell it: these do not tell unknown
// characters and runs of blanks.
class ForcedBeginning {
 public:
  ForcedBeginning(const std::string& beginning, const Vocabulary& vocabulary);

  // How many bytes of an output stand for it; nothing if the output does not begin so (yet).
  std::optional<size_t> length_in(std::string_view output) const;

 private:
  std::string told_;
  bool blank_;  // it ends in one that is not told
};

}  // namespace attune
