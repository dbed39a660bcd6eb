#include "text/boundaries.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <memory>

#include "base/check.h"

namespace attune {
namespace {

using Make = icu::BreakIterator* (*)(const icu::Locale&, UErrorCode&);

std::string utf8(const icu::UnicodeString& text) {
  std::string bytes;
  return text.toUTF8String(bytes);
}

std::vector<TextPart> parts_of(std::string_view text, Make make) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(make(icu::Locale::getRoot(), status));
  check(U_SUCCESS(status), "ICU has no rules to find the ends of sentences and words: {}",
        u_errorName(status));
  const icu::UnicodeString all =
      icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int32_t>(text.size())));
  breaks->setText(all);
  std::vector<TextPart> parts;
  int32_t begin = breaks->first();
  for (int32_t end = breaks->next(); end != icu::BreakIterator::DONE; begin = end, end = breaks->next()) {
    int32_t space = end;
    while (space > begin && u_isUWhiteSpace(all.char32At(space - 1))) --space;
    if (space > begin)
      parts.push_back(
          {utf8(all.tempSubStringBetween(begin, space)), utf8(all.tempSubStringBetween(space, end))});
    else if (!parts.empty())
      parts.back().space += utf8(all.tempSubStringBetween(begin, end));
  }
  return parts;
}

}  // namespace

std::vector<TextPart> sentences_of(std::string_view text) {
  return parts_of(text, icu::BreakIterator::createSentenceInstance);
}

std::vector<TextPart> words_of(std::string_view text) {
  return parts_of(text, icu::BreakIterator::createWordInstance);
}

}  // namespace attune
