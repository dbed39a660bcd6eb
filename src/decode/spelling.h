// Spelling: an output has to begin with a text, in whichever pieces the models like best. A text that ends
// within a word ("inter") cannot be forced token by token: the model would never write "▁international".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "text/vocabulary.h"

namespace attune {

// What each token of a vocabulary of sub-words spells, with ▁ for a blank; nothing for symbols, bytes and
// other vocabularies, whose tokens end where the text says.
class PieceTexts {
 public:
  explicit PieceTexts(const Vocabulary& vocabulary);
  const std::string& operator[](int32_t token) const { return texts_[static_cast<size_t>(token)]; }
  int32_t count() const { return static_cast<int32_t>(texts_.size()); }

 private:
  std::vector<std::string> texts_;
};

class Spelling {
 public:
  // Behind `forced` words, `text` has to be spelled; the last piece may spell more.
  Spelling(const PieceTexts& pieces, int64_t forced, std::string text);

  int64_t forced() const { return forced_; }
  int32_t words() const { return pieces_.count(); }
  // How much of the text the words behind the forced ones have spelled.
  size_t spelled(std::span<const int32_t> words) const;
  bool is_done(size_t spelled) const { return spelled >= text_.size(); }
  // Whether a word may come next: it spells on, and what is left then can be spelled too.
  bool allows(size_t spelled, int32_t word) const;

 private:
  const PieceTexts& pieces_;
  int64_t forced_;
  std::string text_;
  std::vector<bool> possible_;  // from each place on the rest can be spelled
};

// How a text is forced on an output: the tokens of its whole words, then what is left to spell.
struct Beginning {
  std::vector<int32_t> tokens;
  std::string spelled;
};
// How many bytes of an output that was forced to begin with `beginning` stand for it. They may differ from
// it: tokens do not tell unknown characters and runs of blanks. Nothing if the output does not begin so
// (yet).
std::optional<size_t> length_of_beginning(const std::string& output, const std::string& beginning,
                                          const Vocabulary& vocabulary);
Beginning beginning_with(const std::string& text, const Vocabulary& vocabulary, const PieceTexts& pieces);

}  // namespace attune
