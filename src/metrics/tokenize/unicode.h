// Text as Python's str sees it, for which sacreBLEU's rules are written: code points, their classes, lower
// case, white space.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attune::metrics {

// UTF-8 to code points; invalid UTF-8 becomes U+FFFD.
std::u32string decode(std::string_view text);

bool is_space(char32_t c);           // str.isspace(), which is not White_Space of Unicode (text/utf8.h)
bool is_letter(char32_t c);          // \p{L} or \p{M}
bool is_number(char32_t c);          // \p{N}
bool is_punctuation(char32_t c);     // \p{P}
bool is_symbol(char32_t c);          // \p{S}
bool is_word_character(char32_t c);  // \w: \p{L}, \p{N} or _

std::string lower(std::string_view text);                    // str.lower()
std::string_view strip_end(std::string_view text);           // str.rstrip()
std::vector<std::string_view> split(std::string_view text);  // str.split()

}  // namespace attune::metrics
