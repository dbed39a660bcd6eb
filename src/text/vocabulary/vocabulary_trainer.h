// Makes a vocabulary from text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/corpus/text_lines.h"
#include "text/vocabulary/vocabulary.h"

namespace attune {

// Unicode normalisation before the text is cut, by SentencePiece's names. `none` leaves the text as it is,
// white space included; the others make one blank of each run of it. Words and characters are always left as
// they are.
enum class Normalisation { nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, none };
std::span<const char* const> enum_names(Normalisation);

constexpr double kLeastCharacterCoverage = 0.98;  // that SentencePiece takes

struct VocabularyOptions {
  VocabularyKind kind = VocabularyKind::unigram;
  int64_t size = 8000;                         // at most, with the special and user symbols
  bool exact_size = false;                     // unigram, bpe: text that gives fewer pieces is an error
  int64_t min_frequency = 1;                   // word, char: rarer ones are unknown
  std::vector<std::string> user_symbols = {};  // never split: [MASK], <answer>
  // Unigram, bpe: characters that cover this share of the text get a piece of their own. 0: all of them where
  // the text has fewer than 1,000 different ones, else 0.9995 (what SentencePiece advises), or 0.98 if the
  // size leaves no room for them and bytes can stand in.
  double character_coverage = 0;
  // Unigram, bpe: a character without a piece becomes its UTF-8 bytes, so nothing is ever unknown. On,
  // because text of users always has names and signs that training did not; it takes 256 places.
  bool byte_fallback = true;
  Normalisation normalisation = Normalisation::nmt_nfkc;
  int64_t sentences = 1'000'000;  // a random choice of so many lines is enough to learn from
  uint64_t seed = 1;              // of that choice
};

// Of valid UTF-8. The same text and options give the same bytes on every machine. What cannot be made is a
// UsageError.
std::unique_ptr<Vocabulary> train_vocabulary(const std::vector<TextLines>& text,
                                             const VocabularyOptions& options);

}  // namespace attune
