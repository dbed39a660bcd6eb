// WordAligner: which source word each target word translates, learned from parallel sentences alone.
//
// The model is IBM model 2 with positions near the diagonal favoured (Dyer et al. 2013). Target word j of m
// comes from source word i of l with
//   p(i | j) = (1 - p0) exp(-tension |i / l - j / m|) / Z_j,   p(empty word | j) = p0
// times t(f_j | e_i). Expectation maximisation estimates t, with a Dirichlet prior, and the tension.
#pragma once

#include "text/alignment/translation_table.h"

namespace attune {

struct AlignerOptions {
  int iterations = 5;
  double empty = 0.08;  // p0
  double tension = 4;   // to begin with
  double prior = 0.01;  // alpha of the Dirichlet distribution of each t(. | e); 0: none
};

class WordAligner {
 public:
  static constexpr int32_t kUnaligned = -1;

  // Word ids of the source are 0 .. source_words - 1.
  WordAligner(std::span<const SentencePair> pairs, int64_t source_words, const AlignerOptions& options = {});

  // For each target word the place of its likeliest source word, or kUnaligned. Words beyond those it learned
  // from (ids of their own, or kUnknown) are aligned by their places.
  static constexpr int32_t kUnknown = -1;
  std::vector<int32_t> align(const SentencePair& pair) const;

  double tension() const { return tension_; }

 private:
  struct Expected;
  Expected expect(std::span<const SentencePair> pairs);
  void fit_tension(const Expected& expected);

  AlignerOptions options_;
  TranslationTable table_;
  double tension_;
};

}  // namespace attune
