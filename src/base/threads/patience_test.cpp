#include "attune/patience.h"

#include <gtest/gtest.h>

namespace attune {
namespace {

TEST(Patience, ends_with_the_first_of_the_scopes_around) {
  Patience::check();  // no scope
  std::stop_source outer;
  const Patience whole(outer.get_token());
  {
    bool over = false;
    const Patience part([&] { return over; });
    Patience::check();
    over = true;
    EXPECT_THROW(Patience::check(), GivenUp);
    EXPECT_EQ(Patience::life(), outer.get_token());
  }
  Patience::check();
  {
    const Patience late(std::chrono::steady_clock::now());
    EXPECT_THROW(Patience::check(), GivenUp);
  }
  Patience::check();
  outer.request_stop();
  const Patience inner(std::chrono::steady_clock::time_point::max());
  EXPECT_THROW(Patience::check(), GivenUp);
}

}  // namespace
}  // namespace attune
