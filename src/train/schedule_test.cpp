#include "train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attune {
namespace {

double at_update(const Schedule& schedule, int64_t update) { return schedule.at({.updates = update - 1}); }

// Vaswani et al. 2017: d 512, 4000 updates of warmup; the highest rate is 1 / sqrt(512 * 4000).
TEST(Schedule, transformer_is_the_rule_of_the_paper) {
  const Schedule schedule{.kind = ScheduleKind::transformer, .rate = 1, .warmup = {4000}, .width = 512};
  EXPECT_NEAR(at_update(schedule, 4000), 6.987712e-4, 1e-9);
  EXPECT_NEAR(at_update(schedule, 1), std::pow(512, -0.5) * std::pow(4000, -1.5), 1e-15);
  EXPECT_NEAR(at_update(schedule, 100'000), std::pow(512, -0.5) / std::sqrt(100'000), 1e-12);
  EXPECT_LT(at_update(schedule, 3999), at_update(schedule, 4000));
  EXPECT_LT(at_update(schedule, 4001), at_update(schedule, 4000));
}

TEST(Schedule, every_kind_grows_to_its_peak_and_goes_on_as_its_name_says) {
  const auto at = [](ScheduleKind kind, int64_t update) {
    return at_update({.kind = kind, .rate = 0.1, .warmup = {100}, .end = {1100}}, update);
  };
  for (const auto kind : {ScheduleKind::inverse_sqrt, ScheduleKind::cosine, ScheduleKind::linear,
                          ScheduleKind::constant, ScheduleKind::plateau}) {
    EXPECT_NEAR(at(kind, 50), 0.05, 1e-12);
    EXPECT_NEAR(at(kind, 100), 0.1, 1e-12);
  }
  EXPECT_NEAR(at(ScheduleKind::inverse_sqrt, 400), 0.05, 1e-12);
  EXPECT_NEAR(at(ScheduleKind::cosine, 600), 0.05, 1e-12);
  EXPECT_NEAR(at(ScheduleKind::cosine, 350), 0.1 * (1 + std::sqrt(0.5)) / 2, 1e-12);
  EXPECT_NEAR(at(ScheduleKind::linear, 350), 0.075, 1e-12);
  EXPECT_NEAR(at(ScheduleKind::constant, 5000), 0.1, 1e-12);
  for (const auto kind : {ScheduleKind::cosine, ScheduleKind::linear}) {
    EXPECT_NEAR(at(kind, 1100), 0, 1e-12);
    EXPECT_NEAR(at(kind, 2000), 0, 1e-12);
  }
}

TEST(Schedule, no_warmup_starts_at_the_peak) {
  EXPECT_EQ(at_update({.kind = ScheduleKind::constant, .rate = 0.1}, 1), 0.1);
  EXPECT_EQ(at_update({.kind = ScheduleKind::inverse_sqrt, .rate = 0.1}, 1), 0.1);
}

// An update takes 0.5 s; the run, 550 s. So 1100 updates come, and the rate is that of `end: 1100u`.
TEST(Schedule, a_time_is_as_good_as_updates) {
  for (const auto kind : {ScheduleKind::cosine, ScheduleKind::linear})
    for (const Period warmup : {Period{110}, Period{0.1, Period::Unit::share}}) {
      const Schedule by_updates{.kind = kind, .rate = 0.1, .warmup = {110}, .end = {1100}};
      const Schedule by_time{
          .kind = kind, .rate = 0.1, .warmup = warmup, .end = {550, Period::Unit::seconds}};
      for (const int64_t update : {1, 55, 110, 111, 300, 1000, 1099}) {
        const Progress before{.updates = update - 1, .seconds = 0.5 * static_cast<double>(update - 1)};
        EXPECT_NEAR(by_time.at(before), by_updates.at(before), 0.1 * 1.01 / 110);
      }
      EXPECT_EQ(by_time.at({.updates = 900, .seconds = 600}), 0);
    }
}

TEST(Schedule, a_slow_machine_ends_at_zero_too) {
  const Schedule schedule{.kind = ScheduleKind::linear,
                          .rate = 0.1,
                          .warmup = {0.1, Period::Unit::share},
                          .end = {2, Period::Unit::epochs}};
  EXPECT_NEAR(schedule.at({.updates = 1, .share_of_epoch = 0.1}), 0.05, 1e-12);
  EXPECT_NEAR(schedule.at({.updates = 3, .share_of_epoch = 0.2}), 0.1, 1e-12);
  EXPECT_NEAR(schedule.at({.updates = 11, .epochs = 1, .share_of_epoch = 0.1}), 0.05, 1e-12);
  EXPECT_NEAR(schedule.at({.updates = 20, .epochs = 2}), 0, 1e-12);
}

}  // namespace
}  // namespace attune
