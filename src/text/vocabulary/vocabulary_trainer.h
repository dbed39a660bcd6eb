// Makes a vocabulary from text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/corpus/text_lines.h"
#include "text/vocabulary/vocabulary.h"

namespace attune {

// Unicode normalisation before the text is split, by SentencePiece's names. `none` leaves the text as it is,
// including white space; the others replace each run of white space by one space. Words and characters are
// never changed.
enum class Normalisation { nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, none };
std::span<const char* const> enum_names(Normalisation);

constexpr double kLeastCharacterCoverage = 0.98;  // SentencePiece's minimum

struct VocabularyOptions {
  VocabularyKind kind = VocabularyKind::unigram;
  int64_t size = 8000;                         // most tokens, including the special and user symbols
  bool exact_size = false;                     // unigram, bpe: fewer pieces are an error
  int64_t min_frequency = 1;                   // word, char: rarer ones are unknown
  std::vector<std::string> user_symbols = {};  // never split: [MASK], <answer>
  bool line_breaks = false;                    // unigram, bpe: a line break is a token, not a space
  // Unigram, bpe: characters that cover this share of the text get a piece of their own. 0: all of them if
  // the text has fewer than 1,000 different ones, otherwise 0.9995 (SentencePiece's advice), or 0.98 if the
  // size leaves no room for them and bytes can replace them.
  double character_coverage = 0;
  // Unigram, bpe: a character without a piece becomes its UTF-8 bytes, so nothing is ever unknown. On,
  // because users' text always has names and signs that the training text does not; it takes 256 tokens.
  bool byte_fallback = true;
  Normalisation normalisation = Normalisation::nmt_nfkc;
  int64_t sentences = 1'000'000;  // a random sample of this many lines is enough to learn from
  uint64_t seed = 1;              // of that sample
};

// Of valid UTF-8. The same text and options give the same bytes on every machine. Options that cannot be met
// are a UsageError.
std::unique_ptr<Vocabulary> train_vocabulary(const std::vector<TextLines>& text,
                                             const VocabularyOptions& options);

}  // namespace attune
