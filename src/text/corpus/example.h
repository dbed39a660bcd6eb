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

// A line that is to become an example.
struct CorpusLine {
  int64_t number;  // from 0
  std::span<const std::string> columns;
  Random random;  // of this line in this epoch, for tasks that mask or sample
};

// A token of the first side and one of the second that belong together, by their places in the sentence.
struct TokenLink {
  int32_t source, target;
  bool operator==(const TokenLink&) const = default;
};

struct Example {
  std::vector<TokenIds> sides;        // source and target, or tokens and tags: as many for every line
  std::vector<TokenLink> links = {};  // for guided alignment
  int64_t line = 0;                   // of the corpus
};

using Examples = std::vector<Example>;

// An example with an empty side is dropped, so nothing should be added to empty text.
using MakeExample = std::function<Example(const CorpusLine&)>;

}  // namespace attune
