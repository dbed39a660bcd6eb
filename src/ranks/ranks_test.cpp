#include "ranks/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace attune {
namespace {

TEST(Ranks, alone_everything_is_as_it_was) {
  Ranks ranks;
  double values[] = {1, 2};
  ranks.sum(values);
  EXPECT_EQ(values[1], 2);
  EXPECT_EQ(ranks.broadcast("text"), "text");
  EXPECT_EQ(ranks.gather("text"), std::vector<std::string>{"text"});
  EXPECT_EQ(ranks.next_number(), 0);
  EXPECT_EQ(ranks.next_number(), 1);
}

TEST(Ranks, are_listed_by_host) {
  const std::string hosts[] = {"north", "south", "north"};
  EXPECT_EQ(who_is_who(hosts), "rank 0, 2 on north, rank 1 on south");
}

// Two ranks that see the same processors, and two that see others.
TEST(Ranks, those_that_share_processors_divide_them) {
  unsetenv("OMP_NUM_THREADS");
  struct Four final : Ranks {
    int size() const override { return 4; }
    std::vector<std::string> gather(const std::string& text) override {
      return {text, text, "other", "other"};
    }
  } four;
  struct One final : Ranks {
    int size() const override { return 2; }
    std::vector<std::string> gather(const std::string& text) override { return {text, "other"}; }
  } one;
  EXPECT_EQ(fair_threads(four), std::max(1, fair_threads(one) / 2));
}

}  // namespace
}  // namespace attune
