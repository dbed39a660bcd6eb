// zh: every Chinese character and every Chinese or general punctuation mark is a token; the rest follows the
// Western rules, but without the spaces that 13a puts around a line.
#include <algorithm>

#include "metrics/tokenize/tokenize.h"
#include "metrics/tokenize/unicode.h"
#include "metrics/tokenize/western.h"
#include "text/utf8.h"

namespace attune::metrics {
namespace {

struct Range {
  char32_t first, last;
};

// sacreBLEU's list, sorted, not is_unspaced() of text/scripts.h, so that scores can be compared with
// published ones. U+2001 to U+2A6D is what its "\u20000" to "\u2a6d6" means in Python: the intended
// characters of Extension B are elsewhere and are not separated.
constexpr Range kSetApart[] = {
    {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3000, 0x303F},
    {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x32FF}, {0x3300, 0x33FF},
    {0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9},
    {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF},
};

bool is_set_apart(char32_t c) {
  const auto* range = std::ranges::lower_bound(kSetApart, c, {}, &Range::last);
  return range != std::end(kSetApart) && c >= range->first;
}

std::string tokenize_zh(std::string_view line) {
  const std::u32string points = decode(strip_end(line));
  const auto first = std::ranges::find_if_not(points, is_space);
  std::string text;
  for (const char32_t c : std::u32string_view(first, points.end())) {
    const bool apart = is_set_apart(c);
    if (apart) text += ' ';
    append_utf8(text, c);
    if (apart) text += ' ';
  }
  return space_stops_and_dashes(space_punctuation(text));
}

const RegisterTokenizer registered("zh", tokenize_zh);

}  // namespace
}  // namespace attune::metrics
