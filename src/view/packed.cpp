#include "view/packed.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "attune/error.h"

namespace attune::view {

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k) three = three << 8 | (k < count ? bytes[i + k] : 0U);
    for (size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string deflated(std::span<const unsigned char> bytes) {
  uLongf size = compressBound(bytes.size());
  std::vector<unsigned char> small(size);
  if (compress2(small.data(), &size, bytes.data(), bytes.size(), 9) != Z_OK)
    throw Error("the page's data cannot be compressed: there is not enough memory");
  small.resize(size);
  return base64(small);
}

std::string packed(std::span<const float> weights, uint32_t step) {
  std::vector<unsigned char> planes(2 * weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto level = static_cast<uint32_t>(std::lround(std::clamp(weights[i], 0.0F, 1.0F) * 65535));
    const uint32_t rounded = std::min((level + step / 2) / step * step, 65535U);
    const uint32_t kept = weights[i] > 0 ? std::max(rounded, 1U) : 0U;
    planes[i] = static_cast<unsigned char>(kept >> 8);
    planes[weights.size() + i] = static_cast<unsigned char>(kept & 255);
  }
  return deflated(planes);
}

}  // namespace attune::view
