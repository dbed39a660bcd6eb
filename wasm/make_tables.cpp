// Writes what ICU says of all characters to the standard output, as the arrays of character_tables.h.
#include <bit>
#include <cstdio>
#include <string>
#include <vector>

#include "character_bits.h"
#include "text/characters.h"
#include "text/scripts.h"

namespace {

using namespace attune;

unsigned bits_of(char32_t c) {
  return static_cast<unsigned>(std::countr_zero(category_of(c))) | unsigned{combines(c)} << kCombines |
         unsigned{starts_composed(c)} << kStartsComposed | unsigned{is_unspaced(c)} << kUnspaced |
         unsigned{is_chinese(c)} << kChinese | unsigned{joins_without_blank(c)} << kJoins |
         unsigned{is_wide(c)} << kWide;
}

bool is_hangul_syllable(char32_t c) { return c >= 0xAC00 && c < 0xD7A4; }  // these follow a rule

}  // namespace

int main() {
  constexpr char32_t kEnd = 0x110000;
  std::printf("constexpr CharacterRun kRuns[] = {\n");
  unsigned before = ~0U;
  for (char32_t c = 0; c < kEnd; ++c)
    if (const unsigned bits = bits_of(c); bits != before)
      std::printf("{%u,%u},\n", unsigned{c}, before = bits);
  std::printf("};\nconstexpr SmallLetter kSmallLetters[] = {\n");
  for (char32_t c = 0; c < kEnd; ++c)
    if (const char32_t small = small_letter(c); small != c)
      std::printf("{%u,%u},\n", unsigned{c}, unsigned{small});
  std::printf("};\nconstexpr Decomposed kDecomposed[] = {\n");
  std::u32string parts;
  for (char32_t c = 0; c < kEnd; ++c) {
    const std::u32string own = decomposed(c);
    if (is_hangul_syllable(c) || own == std::u32string{c}) continue;
    std::printf("{%u,%zu,%zu},\n", unsigned{c}, parts.size(), own.size());
    parts += own;
  }
  std::printf("};\nconstexpr char32_t kParts[] = {\n");
  for (const char32_t c : parts) std::printf("%u,\n", unsigned{c});
  std::printf("};\n");
}
