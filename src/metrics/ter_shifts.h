// The number of edits that turn a hypothesis into a reference, where moving a run of words counts as one
// edit, like inserting, deleting or replacing a word (Snover et al. 2006).
#pragma once

#include <cstdint>
#include <span>

namespace attune::metrics {

// Words are given as numbers. The best set of moves is hard to find, so tercom, and sacreBLEU after it,
// repeatedly takes the move that helps most, and limits the search. The limits are part of the metric and are
// kept exactly.
int64_t edits_with_shifts(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference);

}  // namespace attune::metrics
