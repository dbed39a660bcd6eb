// Lists of names in help and in messages.
#pragma once

#include <fmt/core.h>

#include <span>
#include <string>
#include <string_view>

#include "base/nearest.h"

namespace attune {

inline std::string comma_separated(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// "unknown metric 'NAME', did you mean 'OTHER'? Known: A, B, C"
inline std::string unknown_name(std::string_view kind, std::string_view name,
                                std::span<const std::string> known) {
  const std::string meant = did_you_mean(name, known);
  return fmt::format("unknown {} '{}'{} Known: {}", kind, name, meant.empty() ? "." : meant,
                     comma_separated(known));
}

}  // namespace attune
