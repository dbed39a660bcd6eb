// Messages for people, on stderr.
#pragma once

#include <string_view>

namespace attune {

// If stderr is full, closed or gone, the program continues and the message is lost.
void say(std::string_view text) noexcept;

}  // namespace attune
