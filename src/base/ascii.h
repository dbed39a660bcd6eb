// ASCII letters, digits and spaces among the bytes of a text, whether plain char is signed or not. Bytes
// beyond ASCII are none of these.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace attune {

constexpr unsigned char byte_of(char c) { return static_cast<unsigned char>(c); }
constexpr bool is_between(char c, char low, char high) {
  return byte_of(low) <= byte_of(c) && byte_of(c) <= byte_of(high);
}

constexpr bool is_ascii_digit(char c) { return is_between(c, '0', '9'); }
constexpr bool is_ascii_small(char c) { return is_between(c, 'a', 'z'); }
constexpr bool is_ascii_capital(char c) { return is_between(c, 'A', 'Z'); }
constexpr bool is_ascii_letter(char c) { return is_ascii_small(c) || is_ascii_capital(c); }
constexpr bool is_ascii_visible(char c) { return is_between(c, '!', '~'); }
constexpr bool is_ascii_blank_or_control(char c) { return byte_of(c) <= byte_of(' ') || c == '\x7F'; }

// 0 to 15; -1 if it is not a hexadecimal digit.
constexpr int hexadecimal_digit(char c) {
  if (is_ascii_digit(c)) return c - '0';
  if (is_between(c, 'a', 'f')) return c - 'a' + 10;
  if (is_between(c, 'A', 'F')) return c - 'A' + 10;
  return -1;
}

constexpr char ascii_small(char c) { return is_ascii_capital(c) ? static_cast<char>(c + ('a' - 'A')) : c; }
inline std::string ascii_small(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = ascii_small(c);
  return small;
}
inline bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, {}, [](char c) { return ascii_small(c); }, [](char c) { return ascii_small(c); });
}

}  // namespace attune
