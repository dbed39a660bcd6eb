#include "metrics/rouge.h"

#include <fmt/core.h>

#include <algorithm>

#include "metrics/ngrams.h"
#include "metrics/tokenize/unicode.h"
#include "text/scripts.h"

namespace attune::metrics {
namespace {

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  bool inside = false;
  for (const char32_t c : decode(lower(text))) {
    const bool alone = is_unspaced(c), part = is_letter(c) || is_number(c);
    if (part && (alone || !inside)) tokens.emplace_back();
    if (part) append(tokens.back(), c);
    inside = part && !alone;
  }
  return tokens;
}

size_t longest_common_subsequence(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  std::vector<size_t> row(b.size() + 1);
  for (const uint32_t word : a) {
    size_t diagonal = 0;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = word == b[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row.back();
}

struct Overlap {
  size_t common, hypothesis, reference;
};

Overlap overlap_of_ngrams(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference,
                          int order) {
  NgramNumbers numbers;
  const Ngrams hyp = numbers(hypothesis, order), ref = numbers(reference, order);
  return {static_cast<size_t>(matches(hyp, count(ref, numbers.size())).back()), hyp.back().size(),
          ref.back().size()};
}

}  // namespace

std::string Rouge::name() const {
  switch (kind_) {
    case Kind::unigrams: return "ROUGE-1";
    case Kind::bigrams: return "ROUGE-2";
    default: return "ROUGE-L";
  }
}

Statistics Rouge::statistics(std::string_view hypothesis, std::span<const std::string> references) const {
  WordNumbers numbers;
  const auto words = [&](std::string_view text) {
    const std::vector<std::string> tokens = tokens_of(text);
    return numbers(std::vector<std::string_view>(tokens.begin(), tokens.end()));
  };
  const std::vector<uint32_t> hyp = words(hypothesis);
  Statistics best{-1, 0, 0, 1};
  for (const std::string& reference : references) {
    const std::vector<uint32_t> ref = words(reference);
    const Overlap overlap = kind_ == Kind::longest
                                ? Overlap{longest_common_subsequence(hyp, ref), hyp.size(), ref.size()}
                                : overlap_of_ngrams(hyp, ref, kind_ == Kind::bigrams ? 2 : 1);
    const auto common = static_cast<double>(overlap.common);
    const double precision = common / static_cast<double>(std::max<size_t>(overlap.hypothesis, 1));
    const double recall = common / static_cast<double>(std::max<size_t>(overlap.reference, 1));
    const double f1 = common > 0 ? 2 * precision * recall / (precision + recall) : 0;
    if (f1 > best[0]) best = {f1, precision, recall, 1};
  }
  return best;
}

double Rouge::value(const Statistics& totals) const { return 100 * totals[0] / totals[3]; }

std::string Rouge::verbose(const Statistics& totals) const {
  const Parts p = parts(totals);
  return fmt::format("(precision = {:.1f} recall = {:.1f})", p[0].second, p[1].second);
}

Parts Rouge::parts(const Statistics& totals) const {
  return {{"precision", 100 * totals[1] / totals[3]}, {"recall", 100 * totals[2] / totals[3]}};
}

}  // namespace attune::metrics
