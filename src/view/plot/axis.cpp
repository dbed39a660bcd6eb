#include "view/plot/axis.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/readable.h"

namespace attune::view {
namespace {

// The smallest of 1, 2, 5 times a power of ten that is at least x.
double round_up(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= x * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

Axis linear_axis(double low, double high, size_t ticks) {
  if (low >= 0 && low < 0.6 * high) low = 0;
  if (!(high > low)) {
    const double room = low == 0 ? 1 : std::abs(low) * 0.1;
    low = low == 0 ? 0 : low - room;
    high += room;
  }
  const double step = round_up((high - low) / static_cast<double>(std::max<size_t>(ticks, 2) - 1));
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  Axis axis{first * step, last * step, Scale::linear, {}};
  for (double i = first; i <= last; ++i) axis.ticks.push_back(i * step);
  return axis;
}

// All 1, 2, 5 times powers of ten from one below `low` to one above `high`; if these are many, the powers.
Axis logarithmic_axis(double low, double high, size_t ticks) {
  std::vector<double> all;
  for (double power = std::floor(std::log10(low)); power <= std::ceil(std::log10(high)); ++power)
    for (const double factor : {1.0, 2.0, 5.0}) all.push_back(factor * std::pow(10, power));
  const auto above = [&](double x) { return std::ranges::lower_bound(all, x * (1 - 1e-9)); };
  auto first = above(low), last = above(high);
  if (first != all.begin() && *first > low * (1 + 1e-9)) --first;
  if (first == last) ++last;
  Axis axis{*first, *last, Scale::logarithmic, {first, last + 1}};
  if (axis.ticks.size() > 2 * ticks)
    std::erase_if(axis.ticks, [](double tick) {
      const double power = std::log10(tick);
      return std::abs(power - std::round(power)) > 1e-6;
    });
  return axis;
}

}  // namespace

double Axis::place(double value) const {
  if (scale == Scale::linear) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

Axis make_axis(double low, double high, size_t ticks, Scale scale) {
  return scale == Scale::linear ? linear_axis(low, high, ticks) : logarithmic_axis(low, high, ticks);
}

std::string tick_label(double tick) {
  if (std::abs(tick) >= 1000 && tick == std::round(tick)) return grouped(static_cast<int64_t>(tick));
  return fmt::format("{:.6g}", std::abs(tick) < 1e-12 ? 0.0 : tick);
}

}  // namespace attune::view
