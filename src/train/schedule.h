// The learning rate over the updates.
#pragma once

#include <cstdint>
#include <span>

#include "train/period.h"

namespace attune {

enum class ScheduleKind : uint8_t { transformer, inverse_sqrt, cosine, linear, constant, plateau };
std::span<const char* const> enum_names(ScheduleKind);

// With t the number of the update, from 1, and w the updates of the warmup, during which the rate grows
// linearly:
//
//   transformer   rate d^-0.5 min(t^-0.5, t w^-1.5)            (Vaswani et al. 2017, eq. 3)
//   inverse_sqrt  rate min(t / w, sqrt(w / t))
//   cosine        rate (1 + cos(pi (t - w) / (end - w))) / 2   (Loshchilov and Hutter 2017)
//   linear        rate (end - t) / (end - w)
//   constant      rate
//   plateau       rate, reduced at each plateau (TrainState::rate_factor)
//
// If the end is a time, or a number of epochs or tokens, t / end is the share of it that has passed. The
// warmup may be a share of the way to the end.
struct Schedule {
  ScheduleKind kind = ScheduleKind::inverse_sqrt;
  double rate = 1e-3;
  Period warmup = {}, end = {};
  int64_t width = 512;

  double at(const Progress& before) const;  // for the update that comes next
};

}  // namespace attune
