// The mean of some values, and how far they are from it.
#pragma once

#include <cmath>
#include <numeric>
#include <span>

namespace attune::compare {

struct Spread {
  double mean = 0;
  double deviation = 0;  // sqrt(sum (x - mean)^2 / (n - 1)); 0 for one value
};

inline Spread spread_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  Spread spread{.mean = std::accumulate(values.begin(), values.end(), 0.0) / count};
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  if (values.size() > 1) spread.deviation = std::sqrt(squares / (count - 1));
  return spread;
}

}  // namespace attune::compare
