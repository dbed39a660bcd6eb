#include "serve/http/rate_limit.h"

#include <gtest/gtest.h>

namespace attune::serve {
namespace {

using std::chrono::seconds;

TEST(RateLimit, a_minute_has_so_many_requests_for_each_client) {
  RateLimit limit;
  const RateLimit::Time start{seconds(1000)};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(limit.wait("a", 6, start), 0);
  EXPECT_EQ(limit.wait("a", 6, start), 10);
  EXPECT_EQ(limit.wait("b", 6, start), 0);
  EXPECT_EQ(limit.wait("a", 6, start + seconds(4)), 6);
  EXPECT_EQ(limit.wait("a", 6, start + seconds(10)), 0);
  EXPECT_EQ(limit.wait("a", 6, start + seconds(10)), 10);
  EXPECT_EQ(limit.wait("a", 0, start + seconds(10)), 0);
}

TEST(RateLimit, quiet_clients_are_forgotten) {
  RateLimit limit;
  const RateLimit::Time start{seconds(1000)};
  for (int i = 0; i < 100; ++i) limit.wait(std::to_string(i), 6, start);
  EXPECT_EQ(limit.clients(), 100u);
  limit.wait("a", 6, start + seconds(61));
  EXPECT_EQ(limit.clients(), 1u);
}

}  // namespace
}  // namespace attune::serve
