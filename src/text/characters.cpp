#include "text/characters.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include "base/check.h"

namespace attune {

namespace {

void require(UErrorCode status, const char* what) {
  check(U_SUCCESS(status) != 0, "ICU cannot {}: {}", what, u_errorName(status));
}

const icu::Normalizer2& normalizer(const icu::Normalizer2* (*get)(UErrorCode&)) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normal = get(status);
  require(status, "normalise");
  return *normal;
}
const icu::Normalizer2& nfc() { return normalizer(icu::Normalizer2::getNFCInstance); }

}  // namespace

static_assert(kLetters == U_GC_L_MASK && kAccents == U_GC_MN_MASK && kMarks == U_GC_M_MASK &&
              kDigits == U_GC_ND_MASK && kNumbers == U_GC_N_MASK && kControls == U_GC_CC_MASK &&
              kOthers == U_GC_C_MASK && kPunctuation == U_GC_P_MASK && kSymbols == U_GC_S_MASK &&
              kSeparators == U_GC_Z_MASK &&
              kWithoutWidth == (U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CC_MASK | U_GC_CF_MASK));

Categories category_of(char32_t c) { return U_GET_GC_MASK(static_cast<UChar32>(c)); }

char32_t small_letter(char32_t c) { return static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))); }

std::u32string decomposed(char32_t c) {
  icu::UnicodeString parts;
  if (!normalizer(icu::Normalizer2::getNFDInstance).getDecomposition(static_cast<UChar32>(c), parts))
    return {c};
  std::u32string all;
  for (int32_t i = 0; i < parts.length(); i = parts.moveIndex32(i, 1))
    all.push_back(static_cast<char32_t>(parts.char32At(i)));
  return all;
}

bool combines(char32_t c) { return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_GRAPHEME_EXTEND) != 0; }

std::string small_letters(std::string_view text) {
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower("", 0, icu::StringPiece(text.data(), static_cast<int32_t>(text.size())), sink,
                            nullptr, status);
  require(status, "lower-case a text");
  return result;
}

std::string composed_text(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const auto utf16 = icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())});
  std::string result;
  nfc().normalize(utf16, status).toUTF8String(result);
  require(status, "normalise a text");
  return result;
}

bool starts_composed(char32_t c) { return nfc().hasBoundaryBefore(static_cast<UChar32>(c)) != 0; }

}  // namespace attune
