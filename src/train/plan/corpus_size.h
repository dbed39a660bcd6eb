// CorpusSize: how much text there is to learn from, judged by a sample of its lines.
#pragma once

#include <algorithm>

#include "text/corpus/corpus.h"

namespace attune {

struct CorpusSize {
  int64_t lines = 0;
  double source_tokens = 0, target_tokens = 0;  // of a line on average; with one column they are the same
  int64_t words = 0;                            // different ones in the sample, between blanks
  double word_uses = 0;                         // how often each of them comes
  bool unspaced_target = false;                 // most of it has no blanks between words, as Chinese

  double tokens() const { return std::max(source_tokens, target_tokens); }  // of a line's longer side
  double epoch_tokens() const { return static_cast<double>(lines) * tokens(); }
  // Signs such as letters and phonemes between blanks, not words of a language.
  bool has_few_words() const;
};

CorpusSize measure_corpus(const Corpus& corpus);

}  // namespace attune
