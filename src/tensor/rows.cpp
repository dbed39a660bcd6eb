#include "attune/rows.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace attune {

Rows::Rows(std::span<const int64_t> lengths) {
  auto starts = std::make_shared<std::vector<int64_t>>();
  starts->reserve(lengths.size() + 1);
  starts->push_back(0);
  for (const int64_t length : lengths) {
    check(length >= 0, "Rows: a sentence cannot have {} tokens", length);
    starts->push_back(starts->back() + length);
    max_length_ = std::max(max_length_, length);
  }
  starts_ = std::move(starts);
}

Rows Rows::uniform(int64_t count, int64_t length) {
  check(count >= 0, "Rows: a batch cannot have {} sentences", count);
  return Rows(std::vector<int64_t>(static_cast<size_t>(count), length));
}

std::vector<int64_t> Rows::by_length() const {
  std::vector<int64_t> order(static_cast<size_t>(count()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return length(a) > length(b); });
  return order;
}

}  // namespace attune
