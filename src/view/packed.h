// Many weights in little text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace attune::view {

constexpr uint32_t kFine = 4;      // the last bits are noise that would not compress
constexpr uint32_t kCoarse = 256;  // for pictures

// Weights from 0 to 1 as Base64 of zlib's deflate of the high bytes, then the low bytes, of step round(65535
// w / step); but 0 is kept for weights that are exactly 0, such as those that a mask hides.
std::string packed(std::span<const float> weights, uint32_t step = kFine);

std::string deflated(std::span<const unsigned char> bytes);  // in Base64

std::string base64(std::span<const unsigned char> bytes);

}  // namespace attune::view
