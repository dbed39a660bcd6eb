#include "decode/length_batches.h"

#include <algorithm>
#include <numeric>

namespace attune {

std::vector<std::vector<size_t>> length_batches(std::span<const int64_t> lengths, int64_t budget,
                                                size_t most) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](size_t i) { return lengths[i] == 0; });
  std::ranges::stable_sort(order, {}, [&](size_t i) { return lengths[i]; });
  std::vector<std::vector<size_t>> batches;
  int64_t tokens = 0;
  for (const size_t i : order) {
    tokens += lengths[i];
    if (batches.empty() || tokens > budget || batches.back().size() == most) {
      batches.emplace_back();
      tokens = lengths[i];
    }
    batches.back().push_back(i);
  }
  return batches;
}

}  // namespace attune
