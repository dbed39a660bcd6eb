// Answers to questions, as SQuAD counts them (Rajpurkar et al. 2016): in small letters, without punctuation
// and without the articles a, an and the; of several references, the best.
#pragma once

#include "metrics/metric.h"

namespace attune::metrics {

// Percentage of answers that equal a reference. Statistics: equal, answers.
class AnswerExact final : public Metric {
 public:
  std::string name() const override { return "answer-exact"; }
  Signature options() const override { return {}; }
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override;
};

// The mean over answers of F1 between their words and those of a reference, in percent. Statistics: sum of
// F1, answers.
class AnswerF1 final : public Metric {
 public:
  std::string name() const override { return "answer-F1"; }
  Signature options() const override { return {}; }
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override;
};

}  // namespace attune::metrics
