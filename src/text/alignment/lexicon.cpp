#include "text/alignment/lexicon.h"

#include <algorithm>

namespace attune {
namespace {

void iterate(TranslationTable& table, std::span<const SentencePair> pairs) {
  struct Share {
    double* count;
    double p;
  };
  std::vector<Share> shares;  // of one target word
  table.clear_counts();
  for (const SentencePair& pair : pairs)
    for (const int32_t word : pair.target) {
      shares.clear();
      double sum = 0;
      const auto add = [&](TranslationTable::Row& row) {
        const size_t place = row.place(word);
        shares.push_back({&row.counts[place], row.p[place]});
        sum += double{row.p[place]};
      };
      add(table.row(table.empty_word()));
      for (const int32_t source : pair.source) add(table.row(source));
      for (const auto& [count, p] : shares) *count += p / sum;
    }
  table.maximise();
}

std::vector<TranslatedWord> best_of(const TranslationTable::Row& row, int64_t count) {
  std::vector<TranslatedWord> all;
  for (size_t i = 0; i < row.words.size(); ++i) all.push_back({row.words[i], row.p[i]});
  std::ranges::stable_sort(all, std::greater<>(), &TranslatedWord::p);
  all.resize(std::min(all.size(), static_cast<size_t>(count)));
  return all;
}

}  // namespace

std::vector<std::vector<TranslatedWord>> lexicon(std::span<const SentencePair> pairs, int64_t source_words,
                                                 int64_t best, int iterations) {
  TranslationTable table(pairs, source_words);
  for (int i = 0; i < iterations; ++i) iterate(table, pairs);
  std::vector<std::vector<TranslatedWord>> all;
  for (int64_t word = 0; word < source_words; ++word)
    all.push_back(best_of(table.row(static_cast<int32_t>(word)), best));
  return all;
}

}  // namespace attune
