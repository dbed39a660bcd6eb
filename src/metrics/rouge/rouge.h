// ROUGE-1, ROUGE-2, ROUGE-L and ROUGE-Lsum (Lin 2004) for summaries: the mean over summaries of the F1 score,
// in percent, of matching n-grams or of longest common subsequences.
//
// Tokens are runs of letters and digits in lower case; a Chinese, Japanese or Thai character is a token by
// itself. On ASCII text these are the tokens, and the scores, of Google's rouge-score, which drops all other
// letters. Of several references the one with the highest F1 counts.
//
// A summary of several sentences has a newline between them, which a line of a file writes as \n, a backslash
// and an n. Only ROUGE-Lsum tells sentences apart: for each sentence of the reference it counts the words
// that are in a longest common subsequence with any sentence of the hypothesis.
#pragma once

#include "metrics/metric.h"

namespace attune::metrics {

struct RougeOptions {
  bool stemmer = false;  // of words of more than three letters, if they are ASCII, compare the stems
};

// Statistics: sums of F1, precision and recall; summaries.
class Rouge final : public Metric {
 public:
  enum class Kind { unigrams, bigrams, longest, longest_of_sentences };
  explicit Rouge(Kind kind, RougeOptions options = {}) : kind_(kind), options_(options) {}

  std::string name() const override;
  Signature options() const override;
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override;
  std::string verbose(const Statistics& totals) const override;
  Parts parts(const Statistics& totals) const override;  // precision, recall

 private:
  Kind kind_;
  RougeOptions options_;
};

}  // namespace attune::metrics
