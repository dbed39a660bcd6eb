#include "ranks/peer_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <set>

#include "attune/error.h"

namespace attune {
namespace {

// Rank 0 and others, all in this process.
struct Star {
  std::promise<std::string> event;
  std::once_flag once;
  std::vector<std::unique_ptr<PeerWatch>> ranks;

  explicit Star(int count) {
    for (int i = 0; i < count; ++i) ranks.push_back(std::make_unique<PeerWatch>());
    const std::string place = ranks[0]->listen();
    std::vector<std::thread> connecting;
    for (int i = 1; i < count; ++i)
      connecting.emplace_back([this, i, place] { at(i).connect(place, i, events_of(i)); });
    ranks[0]->accept(count, events_of(0));
    for (std::thread& thread : connecting) thread.join();
  }

  PeerWatch& at(int rank) { return *ranks[static_cast<size_t>(rank)]; }

  PeerWatch::Events events_of(int me) {
    const auto note = [this](const std::string& text) {
      std::call_once(once, [&] { event.set_value(text); });
    };
    const std::string name = std::to_string(me);
    return {[=](int rank) { note(name + " lost " + std::to_string(rank)); },
            [=](int rank, int code) {
              note(name + " was left by " + std::to_string(rank) + " with " + std::to_string(code));
            }};
  }

  std::string first_event() {
    auto future = event.get_future();
    return future.wait_for(std::chrono::seconds(60)) == std::future_status::ready ? future.get() : "nothing";
  }
};

TEST(PeerWatchThreads, rank_0_notices_who_is_gone) {
  Star star(3);
  star.ranks[2].reset();
  EXPECT_EQ(star.first_event(), "0 lost 2");
}

TEST(PeerWatchThreads, others_notice_that_rank_0_is_gone) {
  Star star(2);
  star.ranks[0].reset();
  EXPECT_EQ(star.first_event(), "1 lost 0");
}

TEST(PeerWatchThreads, tells_why_a_rank_leaves) {
  Star star(3);
  star.at(1).say_failure(2);
  EXPECT_EQ(star.first_event(), "0 was left by 1 with 2");
}

TEST(PeerWatchThreads, a_good_end_is_no_event) {
  Star star(3);
  for (const auto& rank : star.ranks) rank->expect_end();
  for (const size_t i : {1, 0, 2}) star.ranks[i].reset();
  star.event.set_value("none");  // throws if there was one
  EXPECT_EQ(star.first_event(), "none");
}

TEST(PeerWatchThreads, every_number_goes_to_one_rank) {
  Star star(3);
  std::vector<std::future<std::vector<int64_t>>> takers;
  for (int rank : {0, 1, 2, 1, 2})
    takers.push_back(std::async(std::launch::async, [&star, rank] {
      std::vector<int64_t> numbers;
      for (int i = 0; i < 100; ++i) numbers.push_back(star.at(rank).next_number());
      return numbers;
    }));
  std::set<int64_t> all;
  for (auto& taker : takers) {
    const auto numbers = taker.get();
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
    all.insert(numbers.begin(), numbers.end());
  }
  EXPECT_EQ(all.size(), 500U);
  EXPECT_EQ(*all.rbegin(), 499);
}

TEST(PeerWatchThreads, strangers_are_not_ranks) {
  PeerWatch first, stranger, second;
  const std::string place = first.listen();
  const std::string wrong = "1" + place.substr(place.find(' '));
  std::thread others([&] {
    EXPECT_THROW(stranger.connect(wrong, 1, {}), Error);
    second.connect(place, 1, {});
  });
  first.accept(2, {});
  others.join();
  EXPECT_EQ(second.next_number(), 0);
  second.expect_end();
  first.expect_end();
}

}  // namespace
}  // namespace attune
