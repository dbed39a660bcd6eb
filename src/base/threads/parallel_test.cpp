#include "base/threads/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "base/check.h"

namespace attune {
namespace {

TEST(Parallel, covers_every_index_exactly_once) {
  for (const int count : {1, 2, 3, 8})
    for (const int64_t n : {0, 1, 2, 7, 64, 1000})
      for (const int64_t grain : {0, 1, 5, 64, 5000}) {
        const ThreadCount scope(count);
        std::vector<int> visits(static_cast<size_t>(n));
        parallel_for(n, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
        });
        EXPECT_EQ(visits, std::vector<int>(static_cast<size_t>(n), 1)) << n << " items, grain " << grain;
      }
}

TEST(Parallel, makes_as_many_pieces_as_it_says) {
  const ThreadCount scope(4);
  for (const int64_t n : {0, 1, 10, 100}) {
    std::atomic<int64_t> pieces = 0;
    parallel_for(n, 10, [&](int64_t begin, int64_t end) {
      ++pieces;
      EXPECT_GE(end - begin, std::min<int64_t>(n, 10));
    });
    EXPECT_EQ(pieces, parallel_pieces(n, 10)) << n;
  }
}

TEST(Parallel, nested_calls_run_in_the_thread_of_their_caller) {
  const ThreadCount scope(4);
  std::atomic<int> calls = 0;
  parallel_for(4, 1, [&](int64_t begin, int64_t end) {
    const auto outer = std::this_thread::get_id();
    for (int64_t i = begin; i < end; ++i)
      parallel_for(100, 1, [&](int64_t first, int64_t last) {
        ++calls;
        EXPECT_EQ(std::this_thread::get_id(), outer);
        EXPECT_EQ(first, 0);
        EXPECT_EQ(last, 100);
      });
  });
  EXPECT_EQ(calls, 4);
}

TEST(Parallel, an_exception_reaches_the_caller_after_all_pieces_ended) {
  for (const int count : {1, 4}) {
    const ThreadCount scope(count);
    std::atomic<int64_t> visited = 0;
    const auto body = [&](int64_t begin, int64_t end) {
      visited += end - begin;
      if (end == 100) fail("the last piece");
    };
    EXPECT_THROW(parallel_for(100, 1, body), Error);
    EXPECT_EQ(visited, 100);
  }
}

// ThreadSanitizer would report the reads after the loop if its end did not order memory.
TEST(Parallel, the_caller_sees_what_the_pieces_wrote) {
  const ThreadCount scope(4);
  std::vector<int64_t> numbers(1000);
  for (int64_t round = 1; round <= 20; ++round) {
    parallel_for(1000, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) numbers[static_cast<size_t>(i)] += i * round;
    });
    const int64_t total = std::accumulate(numbers.begin(), numbers.end(), int64_t{0});
    EXPECT_EQ(total, 499500 * round * (round + 1) / 2);
  }
}

TEST(Parallel, may_be_called_from_several_threads) {
  std::atomic<int64_t> total = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      const ThreadCount scope(2);
      parallel_for(1000, 1, [&](int64_t begin, int64_t end) { total += end - begin; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 3000);
}

TEST(Parallel, a_thread_count_below_one_is_one) {
  const ThreadCount scope(-3);
  EXPECT_EQ(threads(), 1);
}

}  // namespace
}  // namespace attune
