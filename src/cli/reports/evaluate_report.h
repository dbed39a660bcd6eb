// How `attune evaluate` shows scores: lines like sacreBLEU's, a table of systems, JSON.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "metrics/metric.h"
#include "metrics/significance.h"

namespace attune::cli {

// One metric of one system, of its whole output or of one line.
struct Result {
  std::string system;
  std::optional<size_t> line = {};  // counted from 1
  metrics::Score score;
  bool higher_is_better = true;
  metrics::Signature signature;
  std::optional<metrics::Interval> interval = {};
  std::optional<double> p_value = {};  // against the first system
};

// NAME|signature = score verbose, with aligned equals signs; or only the scores.
std::string as_lines(std::span<const Result> results, int digits, bool score_only);

// A row for each system, a column for each metric; signatures below. `results` go system by system.
std::string as_table(std::span<const Result> results, int digits);

// A list of objects as text, piece by piece.
class JsonList {
 public:
  std::string add(const Result& result);
  std::string end() const;

 private:
  bool empty_ = true;
};
std::string as_json(std::span<const Result> results);

}  // namespace attune::cli
