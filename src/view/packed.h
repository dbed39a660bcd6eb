// Many weights in little text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace attune::view {

// Weights from 0 to 1 as Base64 of zlib's deflate of the high bytes, then the low bytes, of round(65535 w).
std::string packed(std::span<const float> weights);

std::string base64(std::span<const unsigned char> bytes);

}  // namespace attune::view
