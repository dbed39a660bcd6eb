// ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004) for summaries: the mean over sentences of the F1 score, in percent,
// of matching n-grams or of the longest common subsequence.
//
// Tokens are runs of letters and digits in lower case, without stemming; a Chinese, Japanese or Thai
// character is a token by itself. On ASCII text these are the tokens, and the scores, of Google's rouge-score
// (use_stemmer=False; its "rougeL"), which drops all other letters. Of several references the one with the
// highest F1 counts.
#pragma once

#include "metrics/metric.h"

namespace attune::metrics {

// Statistics: sums of F1, precision and recall; sentences.
class Rouge final : public Metric {
 public:
  enum class Kind { unigrams, bigrams, longest };
  explicit Rouge(Kind kind) : kind_(kind) {}

  std::string name() const override;
  Signature options() const override { return {{"case", "lc"}, {"tok", "rouge"}, {"stem", "no"}}; }
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override;
  std::string verbose(const Statistics& totals) const override;
  Parts parts(const Statistics& totals) const override;  // precision, recall

 private:
  Kind kind_;
};

}  // namespace attune::metrics
