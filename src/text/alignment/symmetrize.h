// Word alignments of two directions made into one (Och and Ney 2003, Koehn et al. 2003).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/word_links.h"

namespace attune {

enum class Symmetry { grow_diag_final_and, intersect, union_, forward, backward };

std::vector<std::string> symmetry_names();
Symmetry symmetry_of(std::string_view name);  // a UsageError if there is none

// forward: for each target word the place of its source word, backward: for each source word the place of its
// target word; below 0: none. Sorted by source, then target.
//   grow_diag_final_and: begins with links of both directions, adds links of either beside a link (also
//   diagonally) if one of their words has none yet, and then those of which both words have none.
std::vector<WordLink> symmetrize(std::span<const int32_t> forward, std::span<const int32_t> backward,
                                 Symmetry how);

// Pharaoh's "0-0 1-2".
std::string pharaoh(std::span<const WordLink> links);

}  // namespace attune
