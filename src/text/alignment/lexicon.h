// A lexicon learned from parallel sentences: IBM model 1 (Brown et al. 1993).
#pragma once

#include "text/alignment/translation_table.h"

namespace attune {

struct TranslatedWord {
  int32_t word;
  float p;
};

// For each source word 0, 1, .. its translations t(f | e), likeliest first, at most `best`; in a tie, the
// lower id first. Expectation maximisation from equal probabilities, over
//   p(f_1 .. f_m | e_1 .. e_l) = prod_j 1 / (l + 1) sum_{i = 0 .. l} t(f_j | e_i)
// where e_0 is the empty word, which accounts for words that no other explains.
std::vector<std::vector<TranslatedWord>> lexicon(std::span<const SentencePair> pairs, int64_t source_words,
                                                 int64_t best, int iterations = 5);

}  // namespace attune
