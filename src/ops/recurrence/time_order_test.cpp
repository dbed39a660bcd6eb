#include "ops/recurrence/time_order.h"

#include <gtest/gtest.h>

namespace attune {
namespace {

std::vector<int64_t> tokens(const TimeOrder& order) {
  std::vector<int64_t> all;
  for (const auto& place : order.places) all.push_back(place.token);
  return all;
}

using Numbers = std::vector<int64_t>;

TEST(TimeOrder, goes_step_by_step_longest_sentence_first) {
  const TimeOrder order(Rows{1, 0, 3, 2}, false, 1);  // tokens 0; none; 1 2 3; 4 5
  EXPECT_EQ(tokens(order), (Numbers{1, 4, 0, 2, 5, 3}));
  EXPECT_EQ(order.groups[0].active, (Numbers{3, 2, 1}));
  EXPECT_EQ(order.sentences, 3);
  EXPECT_EQ(order.places[2].previous, TimeOrder::kFirst);
  EXPECT_EQ(order.places[4].previous, 4);
  EXPECT_EQ(order.places[4].sentence, 3);
}

TEST(TimeOrder, runs_backwards_through_each_sentence) {
  const TimeOrder order(Rows{1, 0, 3, 2}, true, 1);
  EXPECT_EQ(tokens(order), (Numbers{3, 5, 0, 2, 4, 1}));
  EXPECT_EQ(order.places[5].previous, 2);
}

TEST(TimeOrder, deals_sentences_to_groups) {
  const TimeOrder order(Rows{1, 4, 3, 2}, false, 2);
  ASSERT_EQ(order.groups.size(), 2U);
  EXPECT_EQ(order.groups[0].active, (Numbers{2, 2, 1, 1}));
  EXPECT_EQ(order.groups[1].active, (Numbers{2, 1, 1}));
  EXPECT_EQ(order.groups[0].first_place, (Numbers{0, 4, 7, 9}));
  EXPECT_EQ(order.groups[1].first_place, (Numbers{1, 5, 8}));
  EXPECT_EQ(order.groups[1].first_sentence, 2);
  EXPECT_EQ(order.apart(), 2);
  EXPECT_EQ(tokens(order), tokens(TimeOrder(Rows{1, 4, 3, 2}, false, 1)))
      << "the order is the same for any number";
}

TEST(TimeOrder, makes_no_empty_group) {
  EXPECT_EQ(TimeOrder(Rows{2}, false, 4).groups.size(), 1U);
  EXPECT_TRUE(TimeOrder(Rows{0, 0}, false, 4).groups.empty());
  EXPECT_TRUE(TimeOrder(Rows{}, false, 4).groups.empty());
}

}  // namespace
}  // namespace attune
