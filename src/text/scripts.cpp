#include "text/scripts.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <initializer_list>

namespace attune {

namespace {

UScriptCode script_of(char32_t c) {
  UErrorCode status = U_ZERO_ERROR;
  return uscript_getScript(static_cast<UChar32>(c), &status);
}

}  // namespace

bool is_unspaced(char32_t c) { return is_chinese(c) || uscript_breaksBetweenLetters(script_of(c)) != 0; }

bool is_chinese(char32_t c) { return script_of(c) == USCRIPT_HAN; }

bool joins_without_blank(char32_t c) {
  const auto point = static_cast<UChar32>(c);
  for (const UScriptCode script : {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_BOPOMOFO})
    if (uscript_hasScript(point, script)) return true;
  return u_ispunct(point) && is_wide(c);
}

bool is_wide(char32_t c) {
  const int32_t width = u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_WIDE || width == U_EA_FULLWIDTH;
}

}  // namespace attune
