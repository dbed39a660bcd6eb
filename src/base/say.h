// Messages for people, on stderr.
#pragma once

#include <string_view>

namespace attune {

// A stderr that is full, closed or gone is no reason to end: what cannot be written is lost.
void say(std::string_view text) noexcept;

}  // namespace attune
