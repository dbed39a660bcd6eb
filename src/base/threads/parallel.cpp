// A pool whose threads take pieces when they get to run. A caller never waits for a thread that the system
// has not scheduled: it takes the remaining pieces itself. That keeps small loops fast on a busy machine,
// where a pool that assigns each thread its share (OpenMP's) was seen to be 40 times slower.
#include "base/threads/parallel.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace attune {
namespace {

thread_local bool inside_region = false;

struct Region {
  RangeBody body;
  int64_t n, pieces;
  std::atomic<int64_t> next = 0;
  std::atomic_flag failed;
  std::exception_ptr failure;

  void work() {
    inside_region = true;
    for (int64_t piece = next++; piece < pieces; piece = next++) {
      try {
        body(piece * n / pieces, (piece + 1) * n / pieces);
      } catch (...) {
        if (!failed.test_and_set()) failure = std::current_exception();
      }
    }
    inside_region = false;
  }
};

class Pool {
 public:
  static Pool& instance() {
    static Pool pool;
    return pool;
  }

  ~Pool() {
    stop_ = true;
    wake();
    for (std::thread& worker : workers_) worker.join();
  }

  // False if the pool is busy with another caller's region.
  bool run(Region& region, int64_t helpers) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    add_workers(helpers);
    region_ = &region;
    wake();
    region.work();
    region_ = nullptr;                                        // no thread enters any more ...
    for (int spins = 0; inside_ != 0; ++spins) pause(spins);  // ... and those inside finish their piece
    return true;
  }

 private:
  // Threads first wait in a loop of yields (a fraction of a microsecond each on an idle machine; on a busy
  // one, others get to run), then in the kernel.
  static constexpr int kSpins = 1000;

  // If the system allows no more threads, the existing ones do the work.
  void add_workers(int64_t wanted) {
    try {
      while (static_cast<int64_t>(workers_.size()) < wanted) workers_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      return;
    }
  }

  static void pause(int spins) {
    if (spins < kSpins) return std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }

  void wake() {
    ++epoch_;
    epoch_.notify_all();
  }

  void serve() {
    for (uint32_t seen = 0; !stop_; seen = wait_after(seen)) {
      ++inside_;
      if (Region* region = region_) region->work();
      --inside_;
    }
  }

  uint32_t wait_after(uint32_t seen) {
    for (int spins = 0; spins < kSpins && epoch_ == seen; ++spins) std::this_thread::yield();
    epoch_.wait(seen);
    return epoch_;
  }

  std::mutex mutex_;
  std::vector<std::thread> workers_;
  std::atomic<Region*> region_ = nullptr;
  std::atomic<int> inside_ = 0;  // threads that may hold region_
  std::atomic<uint32_t> epoch_ = 0;
  std::atomic<bool> stop_ = false;
};

// OMP_NUM_THREADS, the usual setting of numerical software, or all processors.
int default_threads() {
  if (const char* text = std::getenv("OMP_NUM_THREADS")) {
    int count = 0;
    std::from_chars(text, text + std::strlen(text), count);
    if (count > 0) return count;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int& thread_count() {
  thread_local int count = default_threads();
  return count;
}

}  // namespace

int threads() { return thread_count(); }

void set_threads(int count) { thread_count() = std::max(1, count); }

int64_t parallel_pieces(int64_t n, int64_t grain) {
  if (n <= 0) return 0;
  if (inside_region) return 1;
  return std::clamp<int64_t>(n / std::max<int64_t>(grain, 1), 1, threads());
}

void parallel_for(int64_t n, int64_t grain, RangeBody body) {
  const int64_t pieces = parallel_pieces(n, grain);
  if (pieces == 0) return;
  if (pieces == 1) return body(0, n);
  Region region{body, n, pieces, {}, {}, {}};
  if (!Pool::instance().run(region, pieces - 1)) region.work();
  if (region.failure) std::rethrow_exception(region.failure);
}

}  // namespace attune
