// Axis: a range of numbers with round ticks: 0, 20, 40; 0.5, 1, 2, 5.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace attune::view {

enum class Scale { linear, logarithmic };

struct Axis {
  double low = 0, high = 1;
  Scale scale = Scale::linear;
  std::vector<double> ticks;

  double place(double value) const;  // 0 at low, 1 at high
};

// Covers the values from `low` to `high` with about that many ticks; the first and the last tick are its
// ends. A linear axis of values that are not negative begins at 0, unless all of them are far from it. Values
// on a logarithmic axis are positive.
Axis make_axis(double low, double high, size_t ticks, Scale scale = Scale::linear);

// "0", "2.5", "12,000", with as many digits as the tick needs.
std::string tick_label(double tick);

}  // namespace attune::view
