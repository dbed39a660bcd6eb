#include "train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attune {
namespace {

// Vaswani et al. 2017: d 512, 4000 updates of warmup; the highest rate is 1 / sqrt(512 * 4000).
TEST(Schedule, transformer_is_the_rule_of_the_paper) {
  const Schedule schedule{.kind = ScheduleKind::transformer, .rate = 1, .warmup = 4000, .width = 512};
  EXPECT_NEAR(schedule.at(4000), 6.987712e-4, 1e-9);
  EXPECT_NEAR(schedule.at(1), std::pow(512, -0.5) * std::pow(4000, -1.5), 1e-15);
  EXPECT_NEAR(schedule.at(100'000), std::pow(512, -0.5) / std::sqrt(100'000), 1e-12);
  EXPECT_LT(schedule.at(3999), schedule.at(4000));
  EXPECT_LT(schedule.at(4001), schedule.at(4000));
}

TEST(Schedule, every_kind_grows_to_its_peak_and_goes_on_as_its_name_says) {
  const auto at = [](ScheduleKind kind, int64_t update) {
    return Schedule{.kind = kind, .rate = 0.1, .warmup = 100, .end = 1100}.at(update);
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
  EXPECT_EQ((Schedule{.kind = ScheduleKind::constant, .rate = 0.1}.at(1)), 0.1);
  EXPECT_EQ((Schedule{.kind = ScheduleKind::inverse_sqrt, .rate = 0.1}.at(1)), 0.1);
}

}  // namespace
}  // namespace attune
