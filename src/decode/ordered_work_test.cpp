#include "decode/ordered_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

namespace attune {
namespace {

std::function<std::optional<int>()> counting_to(int count) {
  return [i = std::make_shared<int>(0), count]() -> std::optional<int> {
    return *i < count ? std::optional<int>((*i)++) : std::nullopt;
  };
}

TEST(OrderedWork, gives_results_in_order_whatever_threads_finish_first) {
  for (const int workers : {1, 3}) {
    std::vector<int> results;
    ordered_work<int, int>(
        workers, counting_to(50),
        [](int&& i) {
          std::this_thread::sleep_for(std::chrono::microseconds(i % 5 * 300));
          return i * i;
        },
        [&](int&& result) { results.push_back(result); });
    ASSERT_EQ(results.size(), 50u);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(results[static_cast<size_t>(i)], i * i);
  }
}

TEST(OrderedWork, holds_only_a_few_pieces) {
  std::atomic<int> open = 0, most = 0;
  const auto numbers = counting_to(200);
  ordered_work<int, int>(
      2,
      [&] {
        const auto piece = numbers();
        if (piece) most = std::max<int>(most, ++open);
        return piece;
      },
      [](int&& i) { return i; }, [&](int&&) { --open; });
  EXPECT_LE(most, 6);
}

TEST(OrderedWork, throws_the_first_error_after_the_results_before_it) {
  for (const char* where : {"next", "work", "done"}) {
    std::vector<int> results;
    const auto fail = [](bool now) {
      if (now) throw std::runtime_error("no");
    };
    const std::string place = where;
    const auto numbers = counting_to(100);
    EXPECT_THROW((ordered_work<int, int>(
                     2,
                     [&] {
                       const auto piece = numbers();
                       fail(place == "next" && piece == 7);
                       return piece;
                     },
                     [&](int&& i) {
                       fail(place == "work" && i == 7);
                       return i;
                     },
                     [&](int&& i) {
                       fail(place == "done" && i == 7);
                       results.push_back(i);
                     })),
                 std::runtime_error);
    EXPECT_EQ(results, (std::vector{0, 1, 2, 3, 4, 5, 6})) << where;
  }
}

TEST(OrderedWork, nothing_to_do_is_done) {
  ordered_work<int, int>(
      2, counting_to(0), [](int&& i) { return i; }, [](int&&) { FAIL(); });
}

}  // namespace
}  // namespace attune
