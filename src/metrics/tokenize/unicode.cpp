#include "metrics/tokenize/unicode.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/check.h"

namespace attune::metrics {
namespace {

// The code point at `i`, which advances past it; negative if it is malformed.
UChar32 next(std::string_view text, size_t& i) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  UChar32 c = 0;
  U8_NEXT(bytes, i, text.size(), c);
  return c;
}

bool in(char32_t c, uint32_t classes) { return (U_GET_GC_MASK(static_cast<UChar32>(c)) & classes) != 0; }

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

std::u32string decode(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const UChar32 c = next(text, i);
    points.push_back(c < 0 ? U'\uFFFD' : static_cast<char32_t>(c));
  }
  return points;
}

void append(std::string& text, char32_t c) {
  char bytes[U8_MAX_LENGTH];
  size_t n = 0;
  U8_APPEND_UNSAFE(bytes, n, c);
  text.append(bytes, n);
}

bool is_space(char32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || in(c, U_GC_Z_MASK);
}

bool is_letter(char32_t c) { return in(c, U_GC_L_MASK | U_GC_M_MASK); }
bool is_number(char32_t c) { return in(c, U_GC_N_MASK); }
bool is_punctuation(char32_t c) { return in(c, U_GC_P_MASK); }
bool is_symbol(char32_t c) { return in(c, U_GC_S_MASK); }
bool is_word_character(char32_t c) { return c == '_' || in(c, U_GC_L_MASK | U_GC_N_MASK); }

std::string lower(std::string_view text) {
  if (is_ascii(text)) {
    return ascii_small(text);
  }
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower("", 0, icu::StringPiece(text.data(), static_cast<int32_t>(text.size())), sink,
                            nullptr, status);
  check(U_SUCCESS(status) != 0, "ICU cannot lower-case a text: {}", u_errorName(status));
  return result;
}

std::string_view strip_end(std::string_view text) {
  size_t end = 0;
  for (size_t i = 0; i < text.size();)
    if (const UChar32 c = next(text, i); c < 0 || !is_space(static_cast<char32_t>(c))) end = i;
  return text.substr(0, end);
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t at = i;
    if (const UChar32 c = next(text, i); c < 0 || !is_space(static_cast<char32_t>(c))) continue;
    if (at > begin) words.push_back(text.substr(begin, at - begin));
    begin = i;
  }
  if (begin < text.size()) words.push_back(text.substr(begin));
  return words;
}

}  // namespace attune::metrics
