// InputLayer: what a model reads, as vectors of size d: words by a table, rows of numbers by a linear layer
// or a convolution; or several sources, one after another.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "nn/layers.h"

namespace attune {

// Of one source: how many words it has, or how many numbers its rows have. The other is 0.
struct SourceSize {
  int64_t words = 0, width = 0;
};

class InputLayer {
 public:
  // convolution: how many rows of numbers, a row and its neighbours, are read together; 1: each by itself.
  InputLayer(const Scope& p, std::span<const SourceSize> sources, int64_t d, int64_t convolution = 1);

  // [tokens, d]; vectors of words are multiplied by `scale`.
  Tensor operator()(const Ragged& source, double scale = 1) const;
  // Of a single source of words.
  const Embedding& words() const { return *parts_.at(0).words; }

 private:
  struct Part {
    std::optional<Embedding> words;
    std::vector<Linear> vectors;

    Tensor operator()(const Ragged& source, double scale, int64_t convolution) const;
  };

  int64_t convolution_;
  std::vector<Part> parts_;
  std::optional<Embedding> which_;  // several sources: added to the vectors of each
};

}  // namespace attune
