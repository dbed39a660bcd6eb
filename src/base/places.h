// What the places of tokens are: their numbers in the sentence; line and column, as of a picture's patches;
// or times.
#pragma once

#include <cstdint>
#include <span>

namespace attune {

enum class Places : uint8_t { index, grid, time };

inline std::span<const char* const> enum_names(Places) {
  static constexpr const char* kWords[] = {"index", "grid", "time"};
  return kWords;
}

}  // namespace attune
