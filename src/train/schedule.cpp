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

double Schedule::at(const Progress& before) const {
  const auto t = static_cast<double>(before.updates + 1);
  const double share = !end                                ? 0
                       : end.unit == Period::Unit::updates ? t / end.amount
                                                           : end.of(before) / end.amount;
  const bool by_share = warmup.unit == Period::Unit::share;
  const double w = by_share ? 1 : std::max(warmup.amount, 1.0);
  const double growing = std::min(1.0, by_share ? share / warmup.amount : t / w);
  const double warm = by_share ? warmup.amount : share * w / t;  // the share at which the warmup ends
  const double left = std::clamp((1 - share) / (1 - warm), 0.0, 1.0);
  switch (kind) {
    case ScheduleKind::transformer:
      return rate / std::sqrt(static_cast<double>(width)) * std::min(1 / std::sqrt(t), t * std::pow(w, -1.5));
    case ScheduleKind::inverse_sqrt: return rate * std::min(growing, std::sqrt(w / t));
    case ScheduleKind::cosine:
      return rate * (growing < 1 ? growing : (1 + std::cos(std::numbers::pi * (1 - left))) / 2);
    case ScheduleKind::linear: return rate * (growing < 1 ? growing : left);
    case ScheduleKind::constant:
    case ScheduleKind::plateau: return rate * growing;
  }
  return rate;
}

}  // namespace attune
