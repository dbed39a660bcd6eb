#include "serve/engine/language_name.h"

#include <unicode/locid.h>
#include <unicode/unistr.h>

namespace attune::serve {

std::string english_name(const std::string& code) {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeString name;
  icu::Locale::forLanguageTag(code, status).getDisplayName(icu::Locale::getEnglish(), name);
  std::string utf8;
  return name.toUTF8String(utf8);
}

}  // namespace attune::serve
