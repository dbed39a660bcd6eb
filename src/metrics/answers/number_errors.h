// Errors of numbers: MSE and MAE.
#pragma once

#include "metrics/metric.h"

namespace attune::metrics {

// The mean over all numbers of the squared, or absolute, difference to the reference; lower is better. A line
// is a row of numbers with blanks, tabs or commas between them. Statistics: sum, numbers.
class NumberErrors final : public Metric {
 public:
  enum class Kind { squared, absolute };
  explicit NumberErrors(Kind kind) : kind_(kind) {}

  std::string name() const override { return kind_ == Kind::squared ? "MSE" : "MAE"; }
  Signature options() const override { return {}; }
  bool higher_is_better() const override { return false; }
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override { return totals[1] > 0 ? totals[0] / totals[1] : 0; }

 private:
  Kind kind_;
};

}  // namespace attune::metrics
