#include "metrics/tokenize/tokenize_ter.h"

#include "metrics/tokenize/spacing.h"
#include "metrics/tokenize/unicode.h"
#include "metrics/tokenize/western.h"
#include "text/utf8.h"

namespace attune::metrics {
namespace {

bool is_western_punctuation(char32_t c) {
  return std::u32string_view(U".,?:;!\"()").find(c) != std::u32string::npos;
}

bool is_asian_punctuation(char32_t c) {
  return c == 0x3001 || c == 0x3002 || (c >= 0x3008 && c <= 0x3011) || (c >= 0x3014 && c <= 0x301F) ||
         c == 0x30FB || (c >= 0xFF61 && c <= 0xFF65) ||
         std::u32string_view(U"．，？：；！＂（）").find(c) != std::u32string::npos;
}

// tercom's own ranges, not is_unspaced() of text/scripts.h: Chinese characters, their strokes and radicals,
// compatibility forms. Kana stay together: tercom's rules for them never apply to a line that begins with a
// space, as all do here.
bool is_asian_character(char32_t c) {
  return (c >= 0x2E80 && c <= 0x2EFF) || (c >= 0x31C0 && c <= 0x31EF) || (c >= 0x3200 && c <= 0x4DBF) ||
         (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE4F);
}

template <class Change>
std::string change_points(std::string_view text, Change change) {
  std::string changed;
  for (const char32_t c : change(decode(text))) append_utf8(changed, c);
  return changed;
}

std::string normalize(std::string_view text, bool asian) {
  std::string spaced = space_punctuation(' ' + unescape(std::string(text)) + ' ');
  spaced = replace_all(std::move(spaced), "'s ", " 's ");
  spaced = space_stops_and_dashes(spaced);
  if (!asian) return spaced;
  return change_points(spaced, [](const std::u32string& points) {
    return space_characters(points,
                            [](char32_t c) { return is_asian_character(c) || is_asian_punctuation(c); });
  });
}

std::string without_punctuation(std::string_view text, bool asian) {
  return change_points(text, [asian](std::u32string points) {
    std::erase_if(points, [asian](char32_t c) {
      return is_western_punctuation(c) || (asian && is_asian_punctuation(c));
    });
    return points;
  });
}

}  // namespace

std::string tokenize_ter(std::string_view line, const TerOptions& options) {
  std::string text = options.case_sensitive ? std::string(strip_end(line)) : lower(strip_end(line));
  if (options.normalized) text = normalize(text, options.asian_support);
  if (options.no_punct) text = without_punctuation(text, options.asian_support);
  std::string words;
  for (const std::string_view word : split(text)) {
    if (!words.empty()) words += ' ';
    words += word;
  }
  return words;
}

}  // namespace attune::metrics
