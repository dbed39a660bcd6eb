// What Unicode says of characters and texts. ICU knows it; WebAssembly has tables that were made from it, and
// asks the browser (wasm/characters.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attune {

// General categories as bits, in ICU's order: Cn Lu Ll Lt Lm Lo Mn Me Mc Nd Nl No Zs Zl Zp Cc Cf Co Cs Pd Ps
// Pe Pc Po Sm Sc Sk So Pi Pf.
using Categories = uint32_t;
inline constexpr Categories kLetters = 0b11'1110, kAccents = 1 << 6, kMarks = 0b111 << 6, kDigits = 1 << 9,
                            kNumbers = 0b111 << 9, kControls = 1 << 15,
                            kOthers = 1 | 0b1111 << 15,  // controls, formats, surrogates, unassigned
    kSeparators = 0b111 << 12, kPunctuation = 0b11111 << 19 | 0b11 << 28, kSymbols = 0b1111 << 24,
                            kWithoutWidth = 0b11 << 6 | 0b11 << 15;  // Mn, Me, Cc, Cf

Categories category_of(char32_t c);  // one bit
inline bool is_in(char32_t c, Categories categories) { return (category_of(c) & categories) != 0; }

char32_t small_letter(char32_t c);      // of this character alone
std::u32string decomposed(char32_t c);  // canonically and wholly (NFD)
bool combines(char32_t c);              // with the character before it, as accents do (Grapheme_Extend)

std::string small_letters(std::string_view text);
std::string composed_text(std::string_view text);  // NFC
bool starts_composed(char32_t c);  // what NFC makes of it does not depend on what is before it

}  // namespace attune
