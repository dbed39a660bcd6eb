// ReadSource: what a recurrent decoder looks back at. Hypotheses of one sentence share it.
#pragma once

#include <vector>

#include "nn/ragged.h"

namespace attune {

struct ReadSource {
  Rows source;                  // the number of source tokens of each sentence
  Rows read;                    // where they are in values and keys, which hypotheses of one sentence share
  std::vector<int64_t> origin;  // for each sentence, its index in `read`, ascending; empty: its own number
  Tensor values, keys;          // [tokens of read, ..]: the encoder's states, and the score's keys for them

  ReadSource select(std::span<const int64_t> sentences) const;
  // Queries of the sentences, grouped by what they have read.
  Rows queries_of_read(const Rows& queries) const;
};

}  // namespace attune
