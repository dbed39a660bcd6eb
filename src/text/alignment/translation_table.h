// TranslationTable: t(f | e), how likely target word f translates source word e, for all pairs of words that
// occur in sentences opposite each other; and expected counts from which the next t is estimated.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace attune {

struct SentencePair {
  std::vector<int32_t> source, target;  // word ids
};

class TranslationTable {
 public:
  // Source words are 0 .. source_words - 1, and one more is the empty word, opposite every target word.
  TranslationTable(std::span<const SentencePair> pairs, int64_t source_words);

  int32_t empty_word() const { return static_cast<int32_t>(rows_.size()) - 1; }

  struct Row {
    std::vector<int32_t> words;  // target words, ascending
    std::vector<float> p;
    std::vector<double> counts;

    size_t place(int32_t word) const;  // among `words`; one past the end if it is not there
  };
  Row& row(int32_t source) { return rows_[static_cast<size_t>(source)]; }
  const Row& row(int32_t source) const { return rows_[static_cast<size_t>(source)]; }

  void clear_counts();
  // The likeliest t for the counts. With a prior (alpha > 0), the mean-field estimate for a Dirichlet
  // distribution, which keeps rare source words from explaining everything opposite them:
  //   t(f | e) = exp(psi(count(e, f) + alpha) - psi(sum_f' (count(e, f') + alpha)))
  void maximise(double alpha = 0);

 private:
  std::vector<Row> rows_;
};

}  // namespace attune
