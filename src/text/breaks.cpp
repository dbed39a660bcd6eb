#include "text/breaks.h"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <memory>

#include "base/check.h"

namespace attune {
namespace {

using Make = icu::BreakIterator* (*)(const icu::Locale&, UErrorCode&);

std::unique_ptr<icu::BreakIterator> made(Make make) {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<icu::BreakIterator> breaks(make(icu::Locale::getRoot(), status));
  check(U_SUCCESS(status), "ICU has no rules for sentence and word boundaries: {}", u_errorName(status));
  return breaks;
}

std::vector<size_t> all_breaks(std::string_view text, icu::BreakIterator& breaks) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, decltype(&utext_close)> opened(
      utext_openUTF8(nullptr, text.data(), static_cast<int64_t>(text.size()), &status), utext_close);
  breaks.setText(opened.get(), status);
  check(U_SUCCESS(status), "ICU cannot read a text: {}", u_errorName(status));
  std::vector<size_t> all;
  for (int32_t at = breaks.first(); at != icu::BreakIterator::DONE; at = breaks.next())
    all.push_back(static_cast<size_t>(at));
  return all;
}

}  // namespace

std::vector<size_t> sentence_breaks(std::string_view text) {
  thread_local const auto breaks = made(icu::BreakIterator::createSentenceInstance);
  return all_breaks(text, *breaks);
}

std::vector<size_t> word_breaks(std::string_view text) {
  thread_local const auto breaks = made(icu::BreakIterator::createWordInstance);
  return all_breaks(text, *breaks);
}

}  // namespace attune
