// Word and character error rate, and exact match: for spelling, phonemes, dialogue, and other tasks with one
// right answer.
#pragma once

#include "metrics/metric.h"

namespace attune::metrics {

// Levenshtein distance divided by the length of the reference, in percent; lower is better. Words are
// separated by white space and compared as they are. Characters are code points; blanks between words count
// (as in jiwer) or do not. Of several references, the one with the fewest edits counts. Statistics: edits,
// units of that reference.
class ErrorRate final : public Metric {
 public:
  enum class Unit { word, character, character_noblank };
  explicit ErrorRate(Unit unit) : unit_(unit) {}

  std::string name() const override;
  Signature options() const override;
  bool higher_is_better() const override { return false; }
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override;
  std::string verbose(const Statistics& totals) const override;

 private:
  Unit unit_;
};

// Percentage of sentences that equal one of their references, white space aside. Statistics: equal,
// sentences.
class ExactMatch final : public Metric {
 public:
  std::string name() const override { return "exact"; }
  Signature options() const override { return {{"case", "mixed"}}; }
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double value(const Statistics& totals) const override;
  std::string verbose(const Statistics& totals) const override;
};

}  // namespace attune::metrics
