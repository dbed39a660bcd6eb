#include "metrics/answers/answer_match.h"

#include <algorithm>
#include <map>

#include "metrics/tokenize/unicode.h"
#include "text/utf8.h"

namespace attune::metrics {
namespace {

using Words = std::vector<std::string>;

bool is_ascii_punctuation(char32_t c) {
  return (c >= 0x21 && c <= 0x2f) || (c >= 0x3a && c <= 0x40) || (c >= 0x5b && c <= 0x60) ||
         (c >= 0x7b && c <= 0x7e);
}

bool is_article(std::u32string_view word) { return word == U"a" || word == U"an" || word == U"the"; }

// Small letters, no ASCII punctuation, no articles: runs of letters and digits, whatever stands around them.
Words normalised(std::string_view answer) {
  std::u32string text;
  for (const char32_t c : decode(lower(answer)))
    if (!is_ascii_punctuation(c)) text += c;
  std::string kept;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (end < text.size() && is_word_character(text[end])) ++end;
    const std::u32string_view word = std::u32string_view(text).substr(begin, end - begin);
    if (is_article(word))
      kept += ' ';
    else
      for (const char32_t c : word) append_utf8(kept, c);
    if (end < text.size()) append_utf8(kept, text[end]);
    begin = end + 1;
  }
  Words words;
  for (const std::string_view word : split(kept)) words.emplace_back(word);
  return words;
}

double f1(const Words& answer, const Words& reference) {
  if (answer.empty() || reference.empty()) return answer.empty() && reference.empty() ? 1 : 0;
  std::map<std::string, int> left;
  for (const std::string& word : reference) ++left[word];
  double common = 0;
  for (const std::string& word : answer)
    if (auto found = left.find(word); found != left.end() && found->second-- > 0) ++common;
  return 2 * common / static_cast<double>(answer.size() + reference.size());
}

double mean(const Statistics& totals) { return totals[1] > 0 ? 100 * totals[0] / totals[1] : 0; }

}  // namespace

Statistics AnswerExact::statistics(std::string_view hypothesis,
                                   std::span<const std::string> references) const {
  const Words answer = normalised(hypothesis);
  const bool equal = std::ranges::any_of(references, [&](const auto& r) { return normalised(r) == answer; });
  return {equal ? 1.0 : 0.0, 1};
}

double AnswerExact::value(const Statistics& totals) const { return mean(totals); }

Statistics AnswerF1::statistics(std::string_view hypothesis, std::span<const std::string> references) const {
  const Words answer = normalised(hypothesis);
  double best = 0;
  for (const std::string& reference : references) best = std::max(best, f1(answer, normalised(reference)));
  return {best, 1};
}

double AnswerF1::value(const Statistics& totals) const { return mean(totals); }

}  // namespace attune::metrics
