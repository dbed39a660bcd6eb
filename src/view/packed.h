// Many weights in little text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace attune::view {

// Weights from 0 to 1 as Base64 of zlib's deflate of the high bytes, then the low bytes, of 4 round(65535 w /
// 4); but 0 is kept for weights that are exactly 0, such as those that a mask hides.
std::string packed(std::span<const float> weights);

std::string deflated(std::span<const unsigned char> bytes);  // in Base64

std::string base64(std::span<const unsigned char> bytes);

}  // namespace attune::view
