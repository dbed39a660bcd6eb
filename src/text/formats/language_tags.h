// Language tags as files write them: en, en-US, EN_gb.
#pragma once

#include <cstdint>
#include <string_view>

namespace attune {

enum class TagMatch : uint8_t {
  none,
  region,    // "en" for en-US
  spelling,  // "en-us" for EN_US
  exact
};

// How well a tag of a file fits the one that is wanted.
TagMatch match_tags(std::string_view wanted, std::string_view tag);

}  // namespace attune
