// Classes and tags: how many are right.
#pragma once

#include "metrics/metric.h"

namespace attune::metrics {

// The percentage of labels that equal the reference's. A line has one label, or several with white space
// between them; where the reference has `_`, the right label is not known and nothing counts. Statistics:
// right, all.
class LabelAccuracy final : public Metric {
 public:
  std::string name() const override { return "accuracy"; }
  Signature options() const override { return {}; }
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override {
    return totals[1] > 0 ? 100 * totals[0] / totals[1] : 0;
  }
};

}  // namespace attune::metrics
