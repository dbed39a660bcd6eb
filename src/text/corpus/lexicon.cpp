#include "text/corpus/lexicon.h"

#include <algorithm>

namespace attune {
namespace {

// The target words in sentences opposite a source word, ascending, with t(f | e) and its expected counts.
struct Row {
  std::vector<int32_t> words;
  std::vector<float> p;
  std::vector<double> counts;

  size_t place(int32_t word) const {
    return static_cast<size_t>(std::ranges::lower_bound(words, word) - words.begin());
  }
  void keep_each_once() {
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
  }
};

class Model1 {
 public:
  Model1(std::span<const SentencePair> pairs, int64_t source_words)
      : pairs_(pairs), rows_(static_cast<size_t>(source_words) + 1), empty_(source_words) {
    std::vector<size_t> limits(rows_.size(), 1024);
    for (const SentencePair& pair : pairs_)
      for_source(pair, [&](Row& row, size_t e) {
        row.words.insert(row.words.end(), pair.target.begin(), pair.target.end());
        if (row.words.size() < limits[e]) return;
        row.keep_each_once();
        limits[e] = 2 * row.words.size() + 1024;
      });
    for (Row& row : rows_) {
      row.keep_each_once();
      row.p.assign(row.words.size(), 1);
    }
  }

  void iterate() {
    for (Row& row : rows_) row.counts.assign(row.words.size(), 0);
    for (const SentencePair& pair : pairs_)
      for (const int32_t word : pair.target) {
        shares_.clear();
        double sum = 0;
        for_source(pair, [&](Row& row, size_t) {
          const size_t place = row.place(word);
          shares_.push_back({&row.counts[place], row.p[place]});
          sum += double{row.p[place]};
        });
        for (const auto& [count, p] : shares_) *count += p / sum;
      }
    for (Row& row : rows_) {
      double sum = 0;
      for (const double count : row.counts) sum += count;
      for (size_t i = 0; i < row.p.size(); ++i) row.p[i] = static_cast<float>(row.counts[i] / sum);
    }
  }

  std::vector<TranslatedWord> best(int64_t word, int64_t count) const {
    const Row& row = rows_[static_cast<size_t>(word)];
    std::vector<TranslatedWord> all;
    for (size_t i = 0; i < row.words.size(); ++i) all.push_back({row.words[i], row.p[i]});
    std::ranges::stable_sort(all, std::greater<>(), &TranslatedWord::p);
    all.resize(std::min(all.size(), static_cast<size_t>(count)));
    return all;
  }

 private:
  struct Share {
    double* count;
    double p;
  };

  template <class Visit>
  void for_source(const SentencePair& pair, const Visit& visit) {
    visit(rows_[static_cast<size_t>(empty_)], static_cast<size_t>(empty_));
    for (const int32_t word : pair.source) visit(rows_[static_cast<size_t>(word)], static_cast<size_t>(word));
  }

  std::span<const SentencePair> pairs_;
  std::vector<Row> rows_;
  int64_t empty_;
  std::vector<Share> shares_;  // for one target word
};

}  // namespace

std::vector<std::vector<TranslatedWord>> lexicon(std::span<const SentencePair> pairs, int64_t source_words,
                                                 int64_t best, int iterations) {
  Model1 model(pairs, source_words);
  for (int i = 0; i < iterations; ++i) model.iterate();
  std::vector<std::vector<TranslatedWord>> all;
  for (int64_t word = 0; word < source_words; ++word) all.push_back(model.best(word, best));
  return all;
}

}  // namespace attune
