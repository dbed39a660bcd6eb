#include "ops/recurrence/time_order.h"

#include <algorithm>
#include <span>

namespace attune {

TimeOrder::TimeOrder(const Rows& rows, bool reverse, int64_t group_count) {
  std::vector<int64_t> order = rows.by_length();
  while (!order.empty() && rows.length(order.back()) == 0) order.pop_back();
  sentences = static_cast<int64_t>(order.size());
  places.reserve(static_cast<size_t>(rows.total()));
  const int64_t count = std::min(std::max<int64_t>(group_count, 1), sentences);
  const auto share = [count](int64_t of, int64_t group) { return (of - group + count - 1) / count; };
  groups.resize(static_cast<size_t>(count));
  for (int64_t g = 1; g < count; ++g)
    groups[static_cast<size_t>(g)].first_sentence =
        groups[static_cast<size_t>(g) - 1].first_sentence + share(sentences, g - 1);
  for (int64_t step = 0, active = sentences; active > 0; ++step) {
    const auto first = static_cast<int64_t>(places.size());
    for (int64_t g = 0; g < std::min(count, active); ++g) {
      groups[static_cast<size_t>(g)].first_place.push_back(first + g);
      groups[static_cast<size_t>(g)].active.push_back(share(active, g));
    }
    for (const int64_t s : std::span(order).first(static_cast<size_t>(active)))
      places.push_back(
          {token_at(rows, reverse, s, step), step == 0 ? kFirst : token_at(rows, reverse, s, step - 1), s});
    while (active > 0 && rows.length(order[static_cast<size_t>(active) - 1]) == step + 1) --active;
  }
}

}  // namespace attune
