#include "base/parallel.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace attune {
namespace {

// libgomp is not built for ThreadSanitizer, which therefore cannot see that a region's fork and join order
// memory. These two calls tell it.
struct ForkJoin {
#if defined(__SANITIZE_THREAD__)
  void release() { __tsan_release(this); }
  void acquire() { __tsan_acquire(this); }
#else
  void release() {}
  void acquire() {}
#endif
};

class FirstException {
 public:
  void keep(std::exception_ptr exception) {
    if (!taken_.test_and_set()) exception_ = std::move(exception);
  }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::atomic_flag taken_;
  std::exception_ptr exception_;
};

struct Region {
  RangeBody body;
  int64_t n, pieces;
  FirstException failure;
  ForkJoin fork, join;

  void run(int64_t piece) {
    fork.acquire();
    try {
      body(piece * n / pieces, (piece + 1) * n / pieces);
    } catch (...) {
      failure.keep(std::current_exception());
    }
    join.release();
  }
};

// The compiler's own code around the region must not be instrumented either.
__attribute__((no_sanitize("thread"))) void fork_and_join(Region& region) {
  Region* shared = &region;
#pragma omp parallel num_threads(static_cast <int>(region.pieces)) firstprivate(shared)
  {
    const int team = omp_get_num_threads();
    for (int64_t piece = omp_get_thread_num(); piece < shared->pieces; piece += team) shared->run(piece);
  }
}

}  // namespace

int threads() { return omp_get_max_threads(); }

void set_threads(int count) { omp_set_num_threads(std::max(1, count)); }

int64_t parallel_pieces(int64_t n, int64_t grain) {
  if (n <= 0) return 0;
  if (omp_in_parallel()) return 1;
  return std::clamp<int64_t>(n / std::max<int64_t>(grain, 1), 1, threads());
}

void parallel_for(int64_t n, int64_t grain, RangeBody body) {
  const int64_t pieces = parallel_pieces(n, grain);
  if (pieces == 0) return;
  if (pieces == 1) return body(0, n);
  Region region{body, n, pieces, {}, {}, {}};
  region.fork.release();
  fork_and_join(region);
  region.join.acquire();
  region.failure.rethrow();
}

}  // namespace attune
