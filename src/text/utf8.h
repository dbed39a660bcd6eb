// UTF-8 as the Unicode standard defines it (D92): no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace attune {

// The position of the first byte that does not begin or continue a code point.
std::optional<size_t> find_invalid_utf8(std::string_view text);

// Each part that is not UTF-8 becomes U+FFFD.
std::string replace_invalid_utf8(std::string_view text);

struct CodePoint {
  char32_t value;
  std::string_view bytes;
};

// The code points of valid UTF-8, one after another:
//
//   for (Utf8Reader reader(text); const auto c = reader.next();) use(c->value);
class Utf8Reader {
 public:
  explicit Utf8Reader(std::string_view text) : rest_(text) {}
  std::optional<CodePoint> next();

 private:
  std::string_view rest_;
};

// The first of any text that is not empty. What is not UTF-8 becomes U+FFFD, as many bytes at a time as could
// begin a code point.
CodePoint first_code_point(std::string_view text);

void append_utf8(std::string& text, char32_t c);

size_t count_code_points(std::string_view text);

// The beginning of the code point that contains the byte at `at`: valid UTF-8 may be cut there.
size_t code_point_begin(std::string_view text, size_t at);

// The property White_Space of Unicode.
bool is_white_space(char32_t c);

// Empty, or only white space.
bool is_blank(std::string_view text);

}  // namespace attune
