#include "train/plan/corpus_size.h"

#include <algorithm>
#include <unordered_set>

#include "text/scripts.h"
#include "text/utf8.h"

namespace attune {
namespace {

constexpr int64_t kSample = 2000;
// What a token of some thousand sub-words spells on average, in characters; and with Chinese and the like.
constexpr double kLettersOfToken = 3.6, kUnspacedOfToken = 1.4;
constexpr int64_t kFewWords = 500;
constexpr double kManyUses = 20;

struct ColumnSize {
  double words = 0, letters = 0, unspaced = 0;

  double tokens() const {  // with </s>; a word is a token at least
    return std::max(words, letters / kLettersOfToken) + unspaced / kUnspacedOfToken;
  }
};

void count(const std::string& text, ColumnSize& size, std::unordered_set<std::string>& words) {
  bool in_word = false;
  for (Utf8Reader reader(text); const auto c = reader.next();) {
    if (is_white_space(c->value)) {
      in_word = false;
    } else if (is_unspaced(c->value)) {
      ++size.unspaced;
      in_word = false;
    } else {
      ++size.letters;
      if (!in_word) ++size.words;
      in_word = true;
    }
  }
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.emplace(text, begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace

bool CorpusSize::has_few_words() const { return words > 0 && words <= kFewWords && word_uses >= kManyUses; }

CorpusSize measure_corpus(const Corpus& corpus) {
  CorpusSize size{.lines = corpus.lines()};
  const int64_t sample = std::min(kSample, size.lines);
  if (sample == 0) return size;
  std::vector<ColumnSize> columns(corpus.columns());
  std::unordered_set<std::string> words;
  for (int64_t i = 0; i < sample; ++i) {
    const std::vector<std::string> line = corpus.line(i * size.lines / sample);
    for (size_t c = 0; c < line.size(); ++c) count(line[c], columns[c], words);
  }
  const auto per_line = [&](const ColumnSize& column) {
    return 1 + column.tokens() / static_cast<double>(sample);
  };
  size.source_tokens = per_line(columns.front());
  size.target_tokens = per_line(columns.back());
  size.unspaced_target = columns.back().unspaced > columns.back().letters;
  size.words = static_cast<int64_t>(words.size());
  double uses = 0;
  for (const ColumnSize& column : columns) uses += column.words;
  size.word_uses = uses / static_cast<double>(std::max<size_t>(words.size(), 1));
  return size;
}

}  // namespace attune
