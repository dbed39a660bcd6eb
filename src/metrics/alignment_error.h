// Alignment error rate (Och and Ney 2003), precision and recall of word alignments against gold ones.
//
// Links are 0-based `i-j`, source word and target word, separated by spaces. Gold files also have `ipj` for
// links that are only possible; P holds the sure links S too. With A the links of the hypothesis:
//   AER = 1 - (|A & S| + |A & P|) / (|A| + |S|),   precision = |A & P| / |A|,   recall = |A & S| / |S|
#pragma once

#include "metrics/metric.h"

namespace attune::metrics {

// In percent; lower is better. Takes one reference. Statistics: |A|, |S|, |A & S|, |A & P|.
class AlignmentError final : public Metric {
 public:
  std::string name() const override { return "AER"; }
  Signature options() const override { return {}; }
  bool higher_is_better() const override { return false; }
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override;
  std::string verbose(const Statistics& totals) const override;
  Parts parts(const Statistics& totals) const override;  // precision, recall
};

}  // namespace attune::metrics
