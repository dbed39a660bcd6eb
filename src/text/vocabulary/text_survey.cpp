#include "text/vocabulary/text_survey.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "text/utf8.h"

namespace attune {
namespace {

constexpr size_t kCodePoints = 0x110000;

// Whether normalisation always keeps the character. SentencePiece aborts if it leaves no text.
bool stays(char32_t c) {
  return c > 0x20 && !(c >= 0x7F && c <= 0xAD) && !(c >= 0x2000 && c <= 0x206F) && c != 0x2581 &&
         c != 0x2585 && !(c >= 0xFE00 && c <= 0xFE0F) && c != 0xFEFF && !(c >= 0xFFF0 && c <= 0xFFFF) &&
         c < 0xE0000 && !is_white_space(c);
}

}  // namespace

TextSurvey survey(const std::vector<TextLines>& text) {
  TextSurvey result;
  result.counts.resize(kCodePoints);
  for (const TextLines& lines : text) {
    result.lines += lines.count;
    for (int64_t i = 0; i < lines.count; ++i) {
      const std::string line = lines.line(i);
      result.bytes += static_cast<int64_t>(line.size());
      for (Utf8Reader reader(line); const auto c = reader.next();) ++result.counts[c->value];
    }
  }
  for (size_t c = 0; c < kCodePoints; ++c)
    if (!stays(static_cast<char32_t>(c))) result.counts[c] = 0;
  std::erase(result.counts, 0);
  std::ranges::sort(result.counts, std::greater());
  return result;
}

int64_t TextSurvey::needed_for(double share) const {
  const double wanted =
      share * static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  int64_t covered = 0, needed = 0;
  for (; needed < characters() && static_cast<double>(covered) < wanted; ++needed)
    covered += counts[static_cast<size_t>(needed)];
  return needed;
}

}  // namespace attune
