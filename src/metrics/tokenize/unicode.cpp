#include "metrics/tokenize/unicode.h"

#include <algorithm>

#include "base/ascii.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace attune::metrics {
namespace {

// The code point at `i`, which advances past it.
char32_t next(std::string_view text, size_t& i) {
  const CodePoint c = first_code_point(text.substr(i));
  i += c.bytes.size();
  return c.value;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

std::u32string decode(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (size_t i = 0; i < text.size();) points.push_back(next(text, i));
  return points;
}

bool is_space(char32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || is_in(c, kSeparators);
}

bool is_letter(char32_t c) { return is_in(c, kLetters | kMarks); }
bool is_number(char32_t c) { return is_in(c, kNumbers); }
bool is_punctuation(char32_t c) { return is_in(c, kPunctuation); }
bool is_symbol(char32_t c) { return is_in(c, kSymbols); }
bool is_word_character(char32_t c) { return c == '_' || is_in(c, kLetters | kNumbers); }

std::string lower(std::string_view text) { return is_ascii(text) ? ascii_small(text) : small_letters(text); }

std::string_view strip_end(std::string_view text) {
  size_t end = 0;
  for (size_t i = 0; i < text.size();)
    if (!is_space(next(text, i))) end = i;
  return text.substr(0, end);
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t at = i;
    if (!is_space(next(text, i))) continue;
    if (at > begin) words.push_back(text.substr(begin, at - begin));
    begin = i;
  }
  if (begin < text.size()) words.push_back(text.substr(begin));
  return words;
}

}  // namespace attune::metrics
