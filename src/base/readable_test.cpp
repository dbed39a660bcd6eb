#include "base/readable.h"

#include <gtest/gtest.h>

namespace attune {
namespace {

TEST(Readable, thousands_are_grouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-123456), "-123,456");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

TEST(Readable, one_thing_or_many_are_counted) {
  EXPECT_EQ(counted(1, "line"), "1 line");
  EXPECT_EQ(counted(0, "epoch"), "0 epochs");
  EXPECT_EQ(counted(29000, "line"), "29,000 lines");
}

TEST(Readable, durations_have_two_units_and_short_ones_a_decimal) {
  EXPECT_EQ(duration(0.42), "0.4 s");
  EXPECT_EQ(duration(9.96), "10 s");
  EXPECT_EQ(duration(59.6), "1 min 00 s");
  EXPECT_EQ(duration(7501), "2 h 05 min");
}

TEST(Readable, sizes_are_of_powers_of_1024) {
  EXPECT_EQ(memory_size(2048), "2 kB");
  EXPECT_EQ(memory_size(3 << 19), "1.5 MB");
  EXPECT_EQ(memory_size(int64_t{5} << 29), "2.50 GB");
}

TEST(Readable, a_small_share_is_not_nothing) {
  EXPECT_EQ(percentage(0), "0%");
  EXPECT_EQ(percentage(1e-9), "0.01%");
  EXPECT_EQ(percentage(0.0042), "0.42%");
  EXPECT_EQ(percentage(1), "100.0%");
}

}  // namespace
}  // namespace attune
