// Size: the steps in which models grow, for those who leave the numbers to us (`size: small`). Each type of
// model says what its sizes are: ModelConfig::of_size.
#pragma once

#include <cstdint>
#include <span>

namespace attune {

enum class Size : uint8_t { tiny, small, base, big };
constexpr Size kSizes[] = {Size::tiny, Size::small, Size::base, Size::big};
std::span<const char* const> enum_names(Size);

}  // namespace attune
