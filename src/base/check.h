// fail() and check(): the two ways in which attune's code reports an error.
#pragma once

#include <fmt/core.h>

#include <utility>

#include "attune/error.h"

namespace attune {

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
void check(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) [[unlikely]]
    fail(text, std::forward<Args>(args)...);
}

}  // namespace attune
