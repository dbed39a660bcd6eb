#include "text/boundaries.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <memory>

#include "base/check.h"
#include "text/placeholders.h"
#include "text/scripts.h"

namespace attune {
namespace {

using Make = icu::BreakIterator* (*)(const icu::Locale&, UErrorCode&);

std::unique_ptr<icu::BreakIterator> made(Make make) {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<icu::BreakIterator> breaks(make(icu::Locale::getRoot(), status));
  check(U_SUCCESS(status), "ICU has no rules for sentence and word boundaries: {}", u_errorName(status));
  return breaks;
}

// All boundaries except those inside placeholders.
std::vector<size_t> boundaries(std::string_view text, icu::BreakIterator& breaks) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, decltype(&utext_close)> opened(
      utext_openUTF8(nullptr, text.data(), static_cast<int64_t>(text.size()), &status), utext_close);
  breaks.setText(opened.get(), status);
  check(U_SUCCESS(status), "ICU cannot read a text: {}", u_errorName(status));
  const auto placeholders = find_placeholders(text);
  auto inside = placeholders.begin();
  std::vector<size_t> all;
  for (int32_t at = breaks.first(); at != icu::BreakIterator::DONE; at = breaks.next()) {
    const auto byte = static_cast<size_t>(at);
    while (inside != placeholders.end() && inside->end <= byte) ++inside;
    if (inside == placeholders.end() || byte <= inside->begin) all.push_back(byte);
  }
  return all;
}

std::vector<size_t> sentence_boundaries(std::string_view text) {
  thread_local const auto breaks = made(icu::BreakIterator::createSentenceInstance);
  return boundaries(text, *breaks);
}

UChar32 first_of(std::string_view text) {
  int32_t at = 0;
  UChar32 c = U_SENTINEL;
  if (!text.empty()) U8_NEXT(text.data(), at, static_cast<int32_t>(text.size()), c);
  return c;
}

// The last character that is not combined with the one before it, such as a variation selector.
UChar32 last_base(std::string_view text) {
  auto at = static_cast<int32_t>(text.size());
  UChar32 c = U_SENTINEL;
  while (at > 0) {
    U8_PREV(text.data(), 0, at, c);
    if (!u_hasBinaryProperty(c, UCHAR_GRAPHEME_EXTEND)) break;
  }
  return c;
}

size_t without_space(std::string_view text) {
  auto at = static_cast<int32_t>(text.size());
  while (at > 0) {
    int32_t before = at;
    UChar32 c = U_SENTINEL;
    U8_PREV(text.data(), 0, before, c);
    if (!u_isUWhiteSpace(c)) break;
    at = before;
  }
  return static_cast<size_t>(at);
}

std::vector<TextPart> parts_between(std::string_view text, const std::vector<size_t>& boundaries) {
  std::vector<TextPart> parts;
  for (size_t i = 1; i < boundaries.size(); ++i) {
    const std::string_view part = text.substr(boundaries[i - 1], boundaries[i] - boundaries[i - 1]);
    const size_t end = without_space(part);
    if (end > 0)
      parts.push_back({std::string(part.substr(0, end)), std::string(part.substr(end))});
    else if (!parts.empty())
      parts.back().space += part;
  }
  return parts;
}

}  // namespace

std::vector<TextPart> sentences_of(std::string_view text) {
  return parts_between(text, sentence_boundaries(text));
}

std::vector<TextPart> words_of(std::string_view text) { return parts_between(text, word_boundaries(text)); }

std::vector<size_t> word_boundaries(std::string_view text) {
  thread_local const auto breaks = made(icu::BreakIterator::createWordInstance);
  return boundaries(text, *breaks);
}

bool ends_without_blank(std::string_view text) {
  return joins_without_blank(static_cast<char32_t>(last_base(text)));
}
bool begins_without_blank(std::string_view text) {
  return joins_without_blank(static_cast<char32_t>(first_of(text)));
}
bool ends_in_word(std::string_view text) { return u_isalnum(last_base(text)); }
bool begins_in_word(std::string_view text) { return u_isalnum(first_of(text)); }

}  // namespace attune
