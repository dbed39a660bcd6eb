// Properties of characters, from tables that wasm/make_tables.cpp makes from ICU.
#include "text/characters.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "character_bits.h"
#include "character_tables.h"
#include "text/scripts.h"

namespace attune {
namespace {

const CharacterRun& run_of(char32_t c) {
  return *std::prev(std::ranges::upper_bound(kRuns, c, {}, &CharacterRun::begin));
}

bool has(char32_t c, CharacterBit bit) { return (run_of(c).bits >> bit & 1) != 0; }

}  // namespace

Categories category_of(char32_t c) { return Categories{1} << (run_of(c).bits & 31); }

char32_t small_letter(char32_t c) {
  const auto found = std::ranges::lower_bound(kSmallLetters, c, {}, &SmallLetter::of);
  return found != std::end(kSmallLetters) && found->of == c ? found->is : c;
}

std::u32string decomposed(char32_t c) {
  constexpr char32_t kFirst = 0xAC00, kLeads = 0x1100, kVowels = 0x1161, kTails = 0x11A7;
  constexpr char32_t kSyllables = 11172, kOfLead = 588, kOfVowel = 28;  // Hangul: the standard, 3.12
  if (c >= kFirst && c < kFirst + kSyllables) {
    const char32_t s = c - kFirst;
    std::u32string parts{kLeads + s / kOfLead, kVowels + s % kOfLead / kOfVowel};
    if (s % kOfVowel != 0) parts += kTails + s % kOfVowel;
    return parts;
  }
  const auto found = std::ranges::lower_bound(kDecomposed, c, {}, &Decomposed::of);
  if (found == std::end(kDecomposed) || found->of != c) return {c};
  return {kParts + found->begin, kParts + found->begin + found->count};
}

bool combines(char32_t c) { return has(c, kCombines); }
bool starts_composed(char32_t c) { return has(c, kStartsComposed); }
bool is_unspaced(char32_t c) { return has(c, kUnspaced); }
bool is_chinese(char32_t c) { return has(c, kChinese); }
bool joins_without_blank(char32_t c) { return has(c, kJoins); }
bool is_wide(char32_t c) { return has(c, kWide); }

}  // namespace attune
