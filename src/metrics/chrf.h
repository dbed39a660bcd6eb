// chrF (Popovic 2015) and chrF++ (2017): F score over character and word n-grams, identical to sacreBLEU 2 to
// the last digit.
#pragma once

#include "metrics/metric.h"

namespace attune::metrics {

struct ChrfOptions {
  int char_order = 6;
  int word_order = 0;  // 2 for chrF++
  int beta = 2;        // recall counts beta times as much as precision
  bool lowercase = false;
  bool whitespace = false;     // counts as part of character n-grams
  bool eps_smoothing = false;  // mean over all orders of their F scores, as in chrF++.py, NLTK and Moses
};

// Statistics: for each order, the n-grams of the hypothesis, of the reference, and the matches; with several
// references, those of the reference that gives the sentence the highest score.
class Chrf final : public Metric {
 public:
  explicit Chrf(ChrfOptions options = {}) : options_(options) {}

  std::string name() const override;  // chrF2, chrF2++
  Signature options() const override;
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override;

 private:
  ChrfOptions options_;
};

}  // namespace attune::metrics
