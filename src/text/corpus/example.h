// Example: what a model learns from one line, or another part, of a corpus.
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
  int64_t line = 0;                   // of the corpus, or the number that its source gave it
};

using Examples = std::vector<Example>;

// An example with an empty side is dropped, so do not add tokens to empty text.
using MakeExample = std::function<Example(const CorpusLine&)>;

// Examples by number.
class ExampleSource {
 public:
  ExampleSource() = default;
  ExampleSource(const ExampleSource&) = delete;
  ExampleSource& operator=(const ExampleSource&) = delete;
  virtual ~ExampleSource() = default;

  virtual std::string name() const = 0;  // of its first file
  // The numbers of an epoch's examples, copied as weights say.
  virtual std::vector<int64_t> epoch(const Random& random) const = 0;
  virtual Example example(int64_t number, const Random& random) const = 0;
};

}  // namespace attune
