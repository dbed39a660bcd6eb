#include "ops/time_order.h"

#include <algorithm>

namespace attune {

TimeOrder::TimeOrder(const Rows& rows, bool reverse, int64_t group_count) {
  std::vector<int64_t> order = rows.by_length();
  while (!order.empty() && rows.length(order.back()) == 0) order.pop_back();
  places.reserve(static_cast<size_t>(rows.total()));
  // Dealt like cards, so that every group gets long and short sentences.
  const auto count = std::min(static_cast<size_t>(std::max<int64_t>(group_count, 1)), order.size());
  for (size_t first = 0; first < count; ++first) {
    std::vector<int64_t> members;
    for (size_t i = first; i < order.size(); i += count) members.push_back(order[i]);
    Group group{static_cast<int64_t>(places.size()), sentences, {}};
    sentences += static_cast<int64_t>(members.size());
    for (int64_t step = 0; !members.empty(); ++step) {
      group.active.push_back(static_cast<int64_t>(members.size()));
      for (const int64_t s : members)
        places.push_back(
            {token_at(rows, reverse, s, step), step == 0 ? kFirst : token_at(rows, reverse, s, step - 1), s});
      while (!members.empty() && rows.length(members.back()) == step + 1) members.pop_back();
    }
    groups.push_back(std::move(group));
  }
}

}  // namespace attune
