#include "base/name_pattern.h"

#include <algorithm>
#include <vector>

namespace attune {
namespace {

std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Greedy: a * takes more characters only if the rest does not fit otherwise.
bool matches_part(std::string_view pattern, std::string_view part) {
  size_t p = 0, n = 0, star = std::string_view::npos, taken = 0;
  while (n < part.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == part[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool matches_name(std::string_view pattern, std::string_view name) {
  const auto wanted = parts_of(pattern), parts = parts_of(name);
  const auto matches = [](std::string_view part, std::string_view wanted_part) {
    return matches_part(wanted_part, part);
  };
  return !wanted.empty() &&
         std::search(parts.begin(), parts.end(), wanted.begin(), wanted.end(), matches) != parts.end();
}

bool matches_any(std::span<const std::string> patterns, std::string_view name) {
  return std::ranges::any_of(patterns,
                             [&](const std::string& pattern) { return matches_name(pattern, name); });
}

}  // namespace attune
