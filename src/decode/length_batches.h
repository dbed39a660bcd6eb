// Batches of sentences of similar length, within a budget of tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace attune {

// The numbers of the sentences of each batch, shortest first, at most `most` of them. Sentences without
// tokens are left out; one that is longer than the budget is a batch of its own.
std::vector<std::vector<size_t>> length_batches(std::span<const int64_t> lengths, int64_t budget,
                                                size_t most = std::numeric_limits<size_t>::max());

}  // namespace attune
