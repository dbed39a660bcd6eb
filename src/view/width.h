// How much room text takes on a terminal, where Chinese characters are as wide as two letters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attune::view {

size_t display_width(char32_t c);             // 0, 1 or 2 columns
size_t display_width(std::string_view text);  // of UTF-8

// Padded with blanks on the right, or on the left, to that width; wider text stays as it is.
std::string pad_right(std::string_view text, size_t width);
std::string pad_left(std::string_view text, size_t width);

}  // namespace attune::view
