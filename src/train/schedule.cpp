#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attune {

std::span<const char* const> enum_names(ScheduleKind) {
  static constexpr const char* kWords[] = {"transformer", "inverse_sqrt", "cosine",
                                           "linear",      "constant",     "plateau"};
  return kWords;
}

double Schedule::at(int64_t update) const {
  const auto t = static_cast<double>(update), w = static_cast<double>(std::max<int64_t>(warmup, 1));
  const double growing = std::min(1.0, t / w);
  const double left = std::clamp((static_cast<double>(end) - t) / (static_cast<double>(end) - w), 0.0, 1.0);
  switch (kind) {
    case ScheduleKind::transformer:
      return rate / std::sqrt(static_cast<double>(width)) * std::min(1 / std::sqrt(t), t * std::pow(w, -1.5));
    case ScheduleKind::inverse_sqrt: return rate * std::min(growing, std::sqrt(w / t));
    case ScheduleKind::cosine:
      return rate * (t < w ? growing : (1 + std::cos(std::numbers::pi * (1 - left))) / 2);
    case ScheduleKind::linear: return rate * (t < w ? growing : left);
    case ScheduleKind::constant:
    case ScheduleKind::plateau: return rate * growing;
  }
  return rate;
}

}  // namespace attune
