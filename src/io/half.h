// Numbers of 16 bits (IEEE 754 binary16), as other programs store weights.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace attune {

inline float from_half(uint16_t half) {
  const float sign = (half & 0x8000U) != 0 ? -1.f : 1.f;
  const int exponent = (half >> 10U) & 0x1fU;
  const auto fraction = static_cast<float>(half & 0x3ffU);
  if (exponent == 31) return fraction == 0 ? sign * std::numeric_limits<float>::infinity() : std::nanf("");
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024.f + fraction, exponent - 25));
}

}  // namespace attune
