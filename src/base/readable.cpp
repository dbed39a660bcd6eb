#include "base/readable.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace attune {

std::string grouped(int64_t number) {
  const std::string digits = std::to_string(number);
  const size_t sign = number < 0 ? 1 : 0;
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > sign && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(int64_t number, const char* what) {
  return fmt::format("{} {}{}", grouped(number), what, number == 1 ? "" : "s");
}

std::string duration(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto s = static_cast<int64_t>(std::llround(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

std::string memory_size(int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1 << 20) return fmt::format("{:.0f} kB", size / (1 << 10));
  if (bytes < 1 << 30) return fmt::format("{:.1f} MB", size / (1 << 20));
  return fmt::format("{:.2f} GB", size / (1 << 30));
}

std::string percentage(double share) {
  if (share <= 0) return "0%";
  const double percent = std::max(100 * share, 0.01);
  return percent < 1 ? fmt::format("{:.2f}%", percent) : fmt::format("{:.1f}%", percent);
}

}  // namespace attune
