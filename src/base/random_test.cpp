#include "attune/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "attune/error.h"

namespace attune {
namespace {

using Block = std::array<uint32_t, 4>;

constexpr uint64_t kCount = 100000;

// The known answers that come with Random123.
TEST(Random, philox_gives_the_known_answers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, ~uint64_t{0}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, uniform_has_the_moments_of_its_distribution) {
  const Random random(1);
  double mean = 0, square = 0;
  for (uint64_t i = 0; i < kCount; ++i) {
    const double u = random.uniform(i);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    mean += u / kCount;
    square += u * u / kCount;
  }
  EXPECT_NEAR(mean, 0.5, 0.004);
  EXPECT_NEAR(square, 1. / 3, 0.004);
}

TEST(Random, normal_has_the_moments_of_its_distribution) {
  const Random random(2);
  double moments[5] = {};
  for (uint64_t i = 0; i < kCount; ++i)
    for (int power = 1; power <= 4; ++power) moments[power] += std::pow(random.normal(i), power) / kCount;
  EXPECT_NEAR(moments[1], 0, 0.02);
  EXPECT_NEAR(moments[2], 1, 0.02);
  EXPECT_NEAR(moments[3], 0, 0.05);
  EXPECT_NEAR(moments[4], 3, 0.15);
}

TEST(Random, numbers_depend_on_seed_stream_and_index_alone) {
  const Random random(3);
  EXPECT_EQ(random.bits(5), Random(3).bits(5));
  EXPECT_EQ(random.stream(4), Random(3).stream(4));
  std::set<uint64_t> seen;
  const std::vector<Random> generators{
      random,           Random(4), random.stream(0),          random.stream(1),
      random.stream(3), Random(),  random.stream(0).stream(0)};
  for (const Random& generator : generators)
    for (uint64_t i = 0; i < 100; ++i) seen.insert(generator.bits(i));
  EXPECT_EQ(seen.size(), 100 * generators.size());
}

TEST(Random, streams_are_not_correlated) {
  const Random a = Random(5).stream(0), b = Random(5).stream(1);
  double product = 0;
  for (uint64_t i = 0; i < kCount; ++i) product += a.normal(i) * b.normal(i) / kCount;
  EXPECT_NEAR(product, 0, 0.02);
}

TEST(Random, below_is_in_range_and_unbiased) {
  const Random random(6);
  for (const uint64_t bound : {1, 2, 3, 7, 10}) {
    std::vector<double> share(bound);
    for (uint64_t i = 0; i < kCount; ++i) {
      const uint64_t x = random.below(bound, i);
      ASSERT_LT(x, bound);
      share[x] += 1. / kCount;
    }
    for (const double s : share) EXPECT_NEAR(s, 1. / static_cast<double>(bound), 0.01);
  }
  EXPECT_LT(random.below(~uint64_t{0}, 1), ~uint64_t{0});
  EXPECT_THROW(random.below(0, 0), Error);
}

TEST(Random, shuffle_is_a_permutation_with_equal_chances) {
  std::vector<int64_t> items(100), sorted;
  std::iota(items.begin(), items.end(), 0);
  const std::vector<int64_t> before = items;
  Random(7).shuffle(items);
  EXPECT_NE(items, before);
  sorted = items;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, before);

  double first_is[3] = {};
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    std::vector<int64_t> three{0, 1, 2};
    Random(seed).shuffle(three);
    first_is[three[0]] += 1. / 3000;
  }
  for (const double share : first_is) EXPECT_NEAR(share, 1. / 3, 0.03);
  Random(8).shuffle({});
}

}  // namespace
}  // namespace attune
