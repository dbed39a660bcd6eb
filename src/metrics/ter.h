// TER, translation edit rate (Snover et al. 2006): edits per reference word, in percent; lower is better.
// Identical to sacreBLEU 2 to the last digit.
#pragma once

#include "metrics/metric.h"
#include "metrics/tokenize/tokenize_ter.h"

namespace attune::metrics {

// Statistics: edits to the nearest reference, mean length of the references.
class Ter final : public Metric {
 public:
  explicit Ter(TerOptions options = {}) : options_(options) {}

  std::string name() const override { return "TER"; }
  Signature options() const override;
  bool higher_is_better() const override { return false; }
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override;

 private:
  TerOptions options_;
};

}  // namespace attune::metrics
