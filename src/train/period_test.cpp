#include "train/period.h"

#include <gtest/gtest.h>

#include "testing/op_check.h"

namespace attune {
namespace {

TEST(Period, is_written_as_marian_writes_it) {
  const Progress progress{.updates = 1500, .tokens = 2'500'000, .epochs = 3, .seconds = 7200};
  const auto passed = [&](const char* text) { return read_period("after", text).passed(progress); };
  EXPECT_EQ(passed("500u"), 3);
  EXPECT_EQ(passed("500"), 3);
  EXPECT_EQ(passed("1ku"), 1);
  EXPECT_EQ(passed("1Mt"), 2);
  EXPECT_EQ(passed("10kt"), 250);
  EXPECT_EQ(passed("2e"), 1);
  EXPECT_EQ(passed("30min"), 4);
  EXPECT_EQ(passed("1.5h"), 1);
  EXPECT_EQ(passed("7200s"), 1);
  EXPECT_EQ(passed("0"), 0);
  EXPECT_EQ(passed(""), 0);
  EXPECT_FALSE(read_period("after", "0e"));
}

TEST(Period, times_add_up) {
  EXPECT_EQ(read_period("after", "2min30s").amount, 150);
  EXPECT_EQ(read_period("after", "1h30min").amount, 5400);
  EXPECT_EQ(read_period("after", "1d2h3min4.5s").amount, 93784.5);
  EXPECT_EQ(read_period("after", "2min30s").unit, Period::Unit::seconds);
}

TEST(Period, a_share_of_the_run_is_a_period_where_it_makes_sense) {
  EXPECT_EQ(read_period_or_share("lr_warmup", "5%").amount, 0.05);
  EXPECT_EQ(read_period_or_share("lr_warmup", "5%").unit, Period::Unit::share);
  testing::expect_error([&] { read_period("after", "5%"); }, "after: '5%' is a share of the run");
}

TEST(Period, refuses_what_it_cannot_read) {
  for (const char* text : {"u", "5x", "-3u", "5 u", "nan", "1e2e", "5u30s", "2min30", "inf", "2min 30s"})
    testing::expect_error([&] { read_period("save_freq", text); }, "save_freq: '");
}

}  // namespace
}  // namespace attune
