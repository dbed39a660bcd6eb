#include "view/width.h"

#include "text/characters.h"
#include "text/scripts.h"
#include "text/utf8.h"

namespace attune::view {
namespace {

std::string blanks(std::string_view text, size_t width) {
  const size_t taken = display_width(text);
  return std::string(width > taken ? width - taken : 0, ' ');
}

}  // namespace

size_t display_width(char32_t c) {
  if (is_in(c, kWithoutWidth)) return 0;
  return is_wide(c) ? 2 : 1;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (Utf8Reader reader(text); const auto c = reader.next();) width += display_width(c->value);
  return width;
}

std::string pad_right(std::string_view text, size_t width) { return std::string(text) + blanks(text, width); }
std::string pad_left(std::string_view text, size_t width) { return blanks(text, width) + std::string(text); }

}  // namespace attune::view
