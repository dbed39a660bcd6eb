#include "text/directions/direction.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/ascii.h"

namespace attune {
namespace {

// What a tag begins with: two or three small letters.
bool is_language(std::string_view part) {
  return (part.size() == 2 || part.size() == 3) && std::ranges::all_of(part, is_ascii_small);
}

// What may follow: a script (Hans) or a region (BR, 419).
bool is_variety(std::string_view part) {
  if (part.size() == 4)
    return is_ascii_capital(part[0]) && std::ranges::all_of(part.substr(1), is_ascii_small);
  return (part.size() == 2 && std::ranges::all_of(part, is_ascii_capital)) ||
         (part.size() == 3 && std::ranges::all_of(part, is_ascii_digit));
}

std::optional<Direction> read_direction(std::string_view name) {
  std::vector<std::string> tags;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('-', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (is_language(part))
      tags.emplace_back(part);
    else if (is_variety(part) && !tags.empty())
      tags.back() += fmt::format("-{}", part);
    else
      return {};
    begin = end + 1;
  }
  if (tags.size() != 2 || tags[0] == tags[1]) return {};
  return Direction{tags[0], tags[1]};
}

void add_new(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

std::vector<Direction> read_directions(std::span<const std::string> names) {
  std::vector<Direction> directions;
  for (const std::string& name : names) {
    auto direction = read_direction(name);
    if (!direction) return {};
    directions.push_back(std::move(*direction));
  }
  return directions;
}

std::vector<std::string> languages_of(std::span<const Direction> directions) {
  std::vector<std::string> names;
  for (const auto& [source, target] : directions) {
    add_new(names, source);
    add_new(names, target);
  }
  return names;
}

std::vector<std::string> targets_of(std::span<const Direction> directions) {
  std::vector<std::string> names;
  for (const Direction& direction : directions) add_new(names, direction.target);
  return names;
}

std::string language_token(std::string_view language) { return fmt::format(">>{}<<", language); }

}  // namespace attune
