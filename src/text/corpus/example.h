// Example: what a model learns from one line of a corpus.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "attune/random.h"

namespace attune {

using TokenIds = std::vector<int32_t>;

// A line from which an example is made.
struct CorpusLine {
  int64_t number;  // from 0
  std::span<const std::string> columns;
  Random random;  // for this line in this epoch, for tasks that mask or sample
};

// A token of the first side linked to a token of the second, by their positions in the sentence.
struct TokenLink {
  int32_t source, target;
  bool operator==(const TokenLink&) const = default;
};

struct Example {
  std::vector<TokenIds> sides;        // source and target, or tokens and tags: the same number for every line
  std::vector<TokenLink> links = {};  // for guided alignment
  int64_t line = 0;                   // of the corpus
};

using Examples = std::vector<Example>;

// An example with an empty side is dropped, so do not add tokens to empty text.
using MakeExample = std::function<Example(const CorpusLine&)>;

}  // namespace attune
