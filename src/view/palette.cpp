#include "view/palette.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace attune::view {

Rgb heat(float weight) {
  static constexpr std::array<Rgb, 11> kStops{{{68, 1, 84},
                                               {72, 36, 117},
                                               {65, 68, 135},
                                               {53, 95, 141},
                                               {42, 120, 142},
                                               {33, 145, 140},
                                               {34, 168, 132},
                                               {68, 191, 112},
                                               {122, 209, 81},
                                               {189, 223, 38},
                                               {253, 231, 37}}};
  const float place = std::clamp(weight, 0.0F, 1.0F) * (kStops.size() - 1);
  const auto below = std::min(static_cast<size_t>(place), kStops.size() - 2);
  const float share = place - static_cast<float>(below);
  Rgb mixed{};
  for (size_t i = 0; i < 3; ++i) mixed[i] = std::lerp(kStops[below][i], kStops[below + 1][i], share);
  return mixed;
}

std::string hex_colour(const Rgb& colour) {
  std::string text = "#";
  for (const float part : colour) text += fmt::format("{:02x}", static_cast<int>(std::lround(part)));
  return text;
}

}  // namespace attune::view
