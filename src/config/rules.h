// Checks of configuration values. Each failure is a UsageError that begins with the key.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attune/error.h"
#include "base/nearest.h"

namespace attune {

template <class... Args>
void require(bool holds, std::string_view key, fmt::format_string<Args...> reason, Args&&... args) {
  if (!holds) throw UsageError(fmt::format("{}: {}", key, fmt::format(reason, std::forward<Args>(args)...)));
}

using NamedNumbers = std::initializer_list<std::pair<std::string_view, int64_t>>;

inline void require_positive(NamedNumbers numbers) {
  for (const auto& [key, value] : numbers) require(value > 0, key, "must be positive, but is {}", value);
}

inline void require_not_negative(NamedNumbers numbers) {
  for (const auto& [key, value] : numbers) require(value >= 0, key, "must not be negative, but is {}", value);
}

// Upper limits: larger values can only be mistakes, and would fill the memory or never end.
constexpr int64_t kMostThreads = 1024;

inline void require_at_most(int64_t most, NamedNumbers numbers) {
  for (const auto& [key, value] : numbers)
    require(value <= most, key, "must be at most {}, but is {}", most, value);
}

inline void require_share(std::string_view key, double value) {
  require(value >= 0 && value < 1, key, "must be at least 0 and below 1, but is {}", value);
}

inline void require_word(std::string_view key, const std::string& word,
                         const std::vector<std::string>& known) {
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  require(std::ranges::find(known, word) != known.end(), key, "it takes {}, but '{}' was given{}", list, word,
          did_you_mean(word, known));
}

}  // namespace attune
