#include "compare/length_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace attune::compare {
namespace {

constexpr size_t kGroups = 6;

std::vector<size_t> from_short_to_long(std::span<const int64_t> lengths) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return lengths[i]; });
  return order;
}

std::vector<int64_t> even_bounds(std::span<const int64_t> lengths) {
  const std::vector<size_t> order = from_short_to_long(lengths);
  std::vector<int64_t> bounds;
  for (size_t g = 1; g < kGroups; ++g) {
    const int64_t bound = lengths[order[g * order.size() / kGroups]];
    if (bounds.empty() || bound > bounds.back()) bounds.push_back(bound);
  }
  return bounds;
}

}  // namespace

std::string Lengths::label() const {
  return first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last);
}

std::vector<Lengths> group_by_length(std::span<const int64_t> lengths, std::span<const int64_t> bounds) {
  if (lengths.empty()) return {};
  std::vector<int64_t> ends(bounds.begin(), bounds.end());
  if (ends.empty()) ends = even_bounds(lengths);
  const auto [shortest, longest] = std::ranges::minmax(lengths);
  std::erase_if(ends, [longest = longest](int64_t end) { return end >= longest; });
  ends.push_back(longest);
  std::vector<Lengths> groups;
  int64_t first = shortest;
  for (const int64_t end : ends) {
    groups.push_back({first, end, {}});
    first = std::max(first, end + 1);
  }
  for (size_t i = 0; i < lengths.size(); ++i)
    groups[static_cast<size_t>(std::ranges::lower_bound(ends, lengths[i]) - ends.begin())]
        .sentences.push_back(i);
  std::erase_if(groups, [](const Lengths& group) { return group.sentences.empty(); });
  return groups;
}

std::vector<size_t> spread_over_lengths(std::span<const int64_t> lengths, size_t count) {
  const std::vector<size_t> order = from_short_to_long(lengths);
  count = std::min(count, order.size());
  std::vector<size_t> chosen;
  for (size_t i = 0; i < count; ++i) chosen.push_back(order[(2 * i + 1) * order.size() / (2 * count)]);
  return chosen;
}

}  // namespace attune::compare
