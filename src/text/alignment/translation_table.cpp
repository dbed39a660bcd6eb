#include "text/alignment/translation_table.h"

#include <algorithm>
#include <cmath>

namespace attune {
namespace {

void keep_each_once(std::vector<int32_t>& words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

// psi(x) for x > 0: psi(x) = psi(x + 1) - 1 / x up to where the asymptotic series is exact enough.
double digamma(double x) {
  double sum = 0;
  for (; x < 7; ++x) sum -= 1 / x;
  const double y = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x - y * (1. / 12 - y * (1. / 120 - y * (1. / 252 - y / 240)));
}

}  // namespace

size_t TranslationTable::Row::place(int32_t word) const {
  const auto found = std::ranges::lower_bound(words, word);
  return static_cast<size_t>((found != words.end() && *found == word ? found : words.end()) - words.begin());
}

TranslationTable::TranslationTable(std::span<const SentencePair> pairs, int64_t source_words)
    : rows_(static_cast<size_t>(source_words) + 1) {
  std::vector<size_t> limits(rows_.size(), 1024);  // where a row with repetitions is made shorter
  const auto add = [&](int32_t source, const std::vector<int32_t>& target) {
    std::vector<int32_t>& words = row(source).words;
    size_t& limit = limits[static_cast<size_t>(source)];
    words.insert(words.end(), target.begin(), target.end());
    if (words.size() < limit) return;
    keep_each_once(words);
    limit = 2 * words.size() + 1024;
  };
  for (const SentencePair& pair : pairs) {
    add(empty_word(), pair.target);
    for (const int32_t word : pair.source) add(word, pair.target);
  }
  for (Row& row : rows_) {
    keep_each_once(row.words);
    row.words.shrink_to_fit();
    row.p.assign(row.words.size(), 1);
  }
}

void TranslationTable::clear_counts() {
  for (Row& row : rows_) row.counts.assign(row.words.size(), 0);
}

void TranslationTable::maximise(double alpha) {
  for (Row& row : rows_) {
    double sum = 0;
    for (const double count : row.counts) sum += count + alpha;
    const double base = alpha > 0 && sum > 0 ? digamma(sum) : 0;
    for (size_t i = 0; i < row.p.size(); ++i)
      row.p[i] = static_cast<float>(alpha > 0 ? std::exp(digamma(row.counts[i] + alpha) - base)
                                              : row.counts[i] / sum);
  }
}

}  // namespace attune
