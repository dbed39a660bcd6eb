// The colours of weights, one for terminals, pictures and reports; web/src/colour.ts has the same for pages.
#pragma once

#include <array>
#include <string>

namespace attune::view {

using Rgb = std::array<float, 3>;  // 0 to 255

// Viridis, from 0 (dark violet) to 1 (yellow): every weight is painted, so that a map looks the same on dark
// and on light grounds, and the order of lightness is the order of weights.
Rgb heat(float weight);
std::string hex_colour(const Rgb& colour);  // "#440154"

}  // namespace attune::view
