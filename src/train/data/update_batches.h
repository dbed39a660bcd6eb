// The batches of an update: optimizer_delay of them for each rank, fewer at the end of an epoch. Rank r of n
// takes every n-th from the r-th, so that together the ranks go through the epoch in the same order as one.
#pragma once

#include <utility>
#include <vector>

#include "ranks/ranks.h"
#include "text/corpus/batches.h"

namespace attune {

struct UpdateBatches {
  std::vector<std::pair<int64_t, Examples>> own = {};  // of this rank, with their numbers
  int64_t count = 0;                                   // of all ranks; 0: the rest of the epoch was left out
  bool ends_epoch = false;
};

// `wanted` batches, of which the first has the number `first`.
UpdateBatches next_batches(BatchReader& reader, int64_t first, int64_t wanted, const Ranks& ranks);

}  // namespace attune
