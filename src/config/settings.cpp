#include "config/settings.h"

#include <fmt/core.h>

#include <type_traits>

namespace attune {
namespace {

std::vector<std::string> values_of(const Setting& setting) {
  return std::visit(
      [](const auto& value) -> std::vector<std::string> {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::vector<std::string>>)
          return value;
        else
          return {fmt::format("{}", value)};
      },
      setting.value());
}

}  // namespace

Entries entries_of(const Settings& settings) {
  Entries entries;
  for (const auto& [key, setting] : settings)
    entries.push_back({canonical_key(key), values_of(setting),
                       std::holds_alternative<std::vector<std::string>>(setting.value()), ""});
  return entries;
}

}  // namespace attune
