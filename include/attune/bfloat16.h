// BFloat16: the upper half of an f32 number: its sign, its 8 bits of exponent, and 8 bits of precision (one
// of them implied). A number to keep and to multiply, not to compute with: sums are f32.
#pragma once

#include <bit>
#include <cstdint>

namespace attune {

struct BFloat16 {
  uint16_t bits;

  BFloat16() = default;
  // To the nearest, ties to even: |x - BFloat16(x)| <= |x| / 2^8. NaN stays NaN.
  explicit BFloat16(float x) {
    const auto u = std::bit_cast<uint32_t>(x);
    const bool nan = (u & 0x7fffffffU) > 0x7f800000U;
    bits = static_cast<uint16_t>(nan ? (u >> 16U) | 0x40U : (u + 0x7fffU + ((u >> 16U) & 1U)) >> 16U);
  }
  // NOLINTNEXTLINE(google-explicit-constructor): every one is an f32 number
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16U); }
};

}  // namespace attune
