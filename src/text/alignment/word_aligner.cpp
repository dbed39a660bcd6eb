#include "text/alignment/word_aligner.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

namespace attune {
namespace {

constexpr double kLeast = 1e-9;  // t of words that were never opposite each other
constexpr double kLowestTension = 0.1, kHighestTension = 14;

// |i / l - j / m|, with places counted from 1.
double off_diagonal(size_t i, size_t l, size_t j, size_t m) {
  return std::abs(static_cast<double>(i + 1) / static_cast<double>(l) -
                  static_cast<double>(j + 1) / static_cast<double>(m));
}

// exp(-tension |i / l - j / m|) for each i, and their sum.
double favours(size_t l, size_t j, size_t m, double tension, std::vector<double>& favour) {
  favour.resize(l);
  double sum = 0;
  for (size_t i = 0; i < l; ++i) sum += favour[i] = std::exp(-tension * off_diagonal(i, l, j, m));
  return sum;
}

// The mean of |i / l - j / m| under p(i | j).
double mean_off_diagonal(size_t l, size_t j, size_t m, double tension, std::vector<double>& favour) {
  const double sum = favours(l, j, m, tension, favour);
  double mean = 0;
  for (size_t i = 0; i < l; ++i) mean += favour[i] / sum * off_diagonal(i, l, j, m);
  return mean;
}

}  // namespace

struct WordAligner::Expected {
  double off_diagonal = 0;  // sum of |i / l - j / m| over links
  // For sentences of l and m words, the number of links of each j: less than 1 each, as some are of no word.
  std::map<std::pair<size_t, size_t>, std::vector<double>> links;
};

WordAligner::WordAligner(std::span<const SentencePair> pairs, int64_t source_words,
                         const AlignerOptions& options)
    : options_(options), table_(pairs, source_words), tension_(options.tension) {
  for (int i = 0; i < options.iterations; ++i) {
    const Expected expected = expect(pairs);
    if (i > 0) fit_tension(expected);  // the first t knows nothing
    table_.maximise(options.prior);
  }
}

WordAligner::Expected WordAligner::expect(std::span<const SentencePair> pairs) {
  Expected expected;
  table_.clear_counts();
  TranslationTable::Row& empty = table_.row(table_.empty_word());
  std::vector<double> favour, share;
  std::vector<double*> counts;
  for (const auto& [source, target] : pairs) {
    const size_t l = source.size(), m = target.size();
    if (l == 0) continue;
    std::vector<double>& links = expected.links[{l, m}];
    links.resize(m);
    counts.resize(l);
    share.resize(l);
    for (size_t j = 0; j < m; ++j) {
      const double scale = (1 - options_.empty) / favours(l, j, m, tension_, favour);
      const size_t at = empty.place(target[j]);
      const double unaligned = options_.empty * double{empty.p[at]};
      double sum = unaligned;
      for (size_t i = 0; i < l; ++i) {
        TranslationTable::Row& row = table_.row(source[i]);
        const size_t place = row.place(target[j]);
        counts[i] = &row.counts[place];
        sum += share[i] = scale * favour[i] * double{row.p[place]};
      }
      empty.counts[at] += unaligned / sum;
      for (size_t i = 0; i < l; ++i) {
        const double posterior = share[i] / sum;
        *counts[i] += posterior;
        links[j] += posterior;
        expected.off_diagonal += posterior * off_diagonal(i, l, j, m);
      }
    }
  }
  return expected;
}

// The likelihood's gradient is the model's sum of |i / l - j / m| over links less the expected one. It falls
// as the tension grows: bisection finds where it is 0.
void WordAligner::fit_tension(const Expected& expected) {
  constexpr int kSteps = 16;
  std::vector<double> favour;
  const auto gradient = [&](double tension) {
    double sum = -expected.off_diagonal;
    for (const auto& [lengths, links] : expected.links)
      for (size_t j = 0; j < links.size(); ++j)
        sum += links[j] * mean_off_diagonal(lengths.first, j, lengths.second, tension, favour);
    return sum;
  };
  double low = kLowestTension, high = kHighestTension;
  for (int step = 0; step < kSteps; ++step) {
    tension_ = (low + high) / 2;
    (gradient(tension_) > 0 ? low : high) = tension_;
  }
}

std::vector<int32_t> WordAligner::align(const SentencePair& pair) const {
  const auto& [source, target] = pair;
  std::vector<int32_t> links(target.size(), kUnaligned);
  if (source.empty()) return links;
  const auto t = [&](int32_t e, int32_t f) {
    if (e < 0 || e > table_.empty_word()) return kLeast;
    const TranslationTable::Row& row = table_.row(e);
    const size_t place = row.place(f);
    return place < row.p.size() ? std::max(kLeast, double{row.p[place]}) : kLeast;
  };
  std::vector<double> favour;
  for (size_t j = 0; j < target.size(); ++j) {
    const double scale = (1 - options_.empty) / favours(source.size(), j, target.size(), tension_, favour);
    double best = options_.empty * t(table_.empty_word(), target[j]);
    for (size_t i = 0; i < source.size(); ++i) {
      const double p = scale * favour[i] * t(source[i], target[j]);
      if (p <= best) continue;
      best = p;
      links[j] = static_cast<int32_t>(i);
    }
  }
  return links;
}

}  // namespace attune
