// SearchOptions: how the words of an output are chosen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/fields.h"

namespace attune {

// What the sum of log probabilities is divided by, for n words with </s>:
//   length: n^a      google: ((5 + n) / 6)^a  (Wu et al. 2016, eq. 14)
enum class LengthPenalty : uint8_t { length, google };
std::span<const char* const> enum_names(LengthPenalty);

// What becomes of <unk> in translations: it is written, never chosen, or replaced by the source word that
// gets most attention (which needs `alignment`).
enum class UnknownWords : uint8_t { write, suppress, copy };
std::span<const char* const> enum_names(UnknownWords);

// What search needs to know about a vocabulary.
struct SearchWords {
  int32_t begin = 1, end = 2;            // <s> and </s>
  std::vector<int32_t> suppressed = {};  // never written
};

struct SearchOptions {
  int64_t beam_size = 4;  // 1 is greedy search
  double normalize = 0.6;
  LengthPenalty length_penalty = LengthPenalty::length;
  int64_t n_best = 1;
  int64_t max_length = 1000;     // words, including </s>
  double max_length_factor = 3;  // at most this many words per source word; 0: no such limit
  int64_t no_repeat_ngram = 0;
  double coverage_penalty = 0;
  UnknownWords unk = UnknownWords::write;
  bool alignment = false;        // return the attention of every word
  int64_t attention_layer = -2;  // -1 is the last; the one before aligns best (Garg et al. 2019)
  int64_t attention_head = -1;   // -1: the mean of all; training with guided_alignment stores 0 in the model

  bool shortlist = false;  // choose from the model folder's shortlist

  bool sampling = false;
  double temperature = 1;
  int64_t top_k = 0;
  double top_p = 1;
  int64_t seed = 1;

  static void fields(FieldsOf<SearchOptions> f);
  // Throws a UsageError that names the key and the reason if the values make no sense.
  void validate() const;

  // The most words for a source of that length; a model's own limit may be lower.
  int64_t longest(int64_t source_words) const;
  bool needs_attention() const { return alignment || coverage_penalty > 0; }
};

}  // namespace attune
