#include "text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace attune {
namespace {

bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// The bytes at the beginning of `text` that are a code point, or as many as could begin one; at least one.
// The second byte decides about overlong forms, surrogates and code points above U+10FFFF.
struct Beginning {
  size_t length;
  bool whole;
};
Beginning beginning_of(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return {1, true};
  const size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (length == 0 || text.size() < 2 || at(1) < low || at(1) > high) return {1, false};
  for (size_t i = 2; i < length; ++i)
    if (i >= text.size() || !continues(at(i))) return {i, false};
  return {length, true};
}

// The number of ASCII bytes at the beginning of `text`, in steps of eight.
size_t ascii_prefix(std::string_view text) {
  size_t i = 0;
  for (uint64_t eight; i + sizeof eight <= text.size(); i += sizeof eight) {
    std::memcpy(&eight, text.data() + i, sizeof eight);
    if ((eight & 0x8080808080808080) != 0) break;
  }
  return i;
}

}  // namespace

std::optional<size_t> find_invalid_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    i += ascii_prefix(text.substr(i));
    if (i == text.size()) break;
    const Beginning next = beginning_of(text.substr(i));
    if (!next.whole) return i;
    i += next.length;
  }
  return std::nullopt;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string valid;
  while (const auto bad = find_invalid_utf8(text)) {
    valid.append(text.substr(0, *bad)).append("\uFFFD");
    text.remove_prefix(*bad + 1);
    while (!text.empty() && continues(static_cast<unsigned char>(text[0]))) text.remove_prefix(1);
  }
  return valid.append(text);
}

std::optional<CodePoint> Utf8Reader::next() {
  if (rest_.empty()) return std::nullopt;
  const auto lead = static_cast<unsigned char>(rest_[0]);
  const size_t length = std::min<size_t>(lead < 0x80   ? 1
                                         : lead < 0xE0 ? 2
                                         : lead < 0xF0 ? 3
                                                       : 4,
                                         rest_.size());
  char32_t value = length == 1 ? lead : lead & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) value = value << 6 | (static_cast<unsigned char>(rest_[i]) & 0x3F);
  const CodePoint result{value, rest_.substr(0, length)};
  rest_.remove_prefix(length);
  return result;
}

CodePoint first_code_point(std::string_view text) {
  const auto [length, whole] = beginning_of(text);
  if (!whole) return {U'\uFFFD', text.substr(0, length)};
  return *Utf8Reader(text.substr(0, length)).next();
}

void append_utf8(std::string& text, char32_t c) {
  const auto add = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  const auto rest = [&](int shift) { add(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    add(0xE0 | c >> 12);
    rest(6);
  } else {
    add(0xF0 | c >> 18);
    rest(12);
    rest(6);
  }
  rest(0);
}

size_t count_code_points(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return !continues(static_cast<unsigned char>(c)); }));
}

size_t code_point_begin(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && continues(static_cast<unsigned char>(text[at]))) --at;
  return at;
}

bool is_white_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_blank(std::string_view text) {
  for (Utf8Reader reader(text); const auto c = reader.next();)
    if (!is_white_space(c->value)) return false;
  return true;
}

}  // namespace attune
