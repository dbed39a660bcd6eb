#include "metrics/answers/word_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "metrics/ngrams.h"
#include "metrics/tokenize/unicode.h"

namespace attune::metrics {
namespace {

// Row by row over the matrix of distances between prefixes.
size_t levenshtein(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row.back();
}

// Without the blanks at both ends.
std::vector<uint32_t> characters(std::string_view text) {
  std::vector<uint32_t> symbols;
  for (const char32_t c : decode(strip_end(text)))
    if (!symbols.empty() || !is_space(c)) symbols.push_back(c);
  return symbols;
}

std::vector<uint32_t> characters_noblank(std::string_view text) {
  std::vector<uint32_t> symbols = characters(text);
  std::erase_if(symbols, is_space);
  return symbols;
}

}  // namespace

std::string ErrorRate::name() const {
  switch (unit_) {
    case Unit::word: return "WER";
    case Unit::character: return "CER";
    default: return "CER-noblank";
  }
}

Signature ErrorRate::options() const {
  if (unit_ == Unit::word) return {{"case", "mixed"}};
  return {{"case", "mixed"}, {"space", unit_ == Unit::character ? "yes" : "no"}};
}

Statistics ErrorRate::statistics(std::string_view hypothesis, std::span<const std::string> references) const {
  WordNumbers numbers;
  const auto units = [&](std::string_view text) {
    if (unit_ == Unit::word) return numbers(split(text));
    return unit_ == Unit::character ? characters(text) : characters_noblank(text);
  };
  const std::vector<uint32_t> hyp = units(hypothesis);
  Statistics best{std::numeric_limits<double>::infinity(), 0};
  for (const std::string& reference : references) {
    const std::vector<uint32_t> ref = units(reference);
    const auto edits = static_cast<double>(levenshtein(hyp, ref));
    if (edits < best[0]) best = {edits, static_cast<double>(ref.size())};
  }
  return best;
}

double ErrorRate::value(const Statistics& totals) const {
  if (totals[1] > 0) return 100 * totals[0] / totals[1];
  return totals[0] > 0 ? 100 : 0;
}

std::string ErrorRate::verbose(const Statistics& totals) const {
  return fmt::format("({:.0f} edits, ref_len = {:.0f})", totals[0], totals[1]);
}

Statistics ExactMatch::statistics(std::string_view hypothesis,
                                  std::span<const std::string> references) const {
  const std::vector<std::string_view> words = split(hypothesis);
  return {std::ranges::any_of(references, [&](const std::string& ref) { return split(ref) == words; }) ? 1.0
                                                                                                       : 0.0,
          1};
}

double ExactMatch::value(const Statistics& totals) const { return 100 * totals[0] / totals[1]; }

std::string ExactMatch::verbose(const Statistics& totals) const {
  return fmt::format("({:.0f} of {:.0f})", totals[0], totals[1]);
}

}  // namespace attune::metrics
