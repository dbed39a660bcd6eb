// parallel_for: the only place where attune's kernels use several threads. Work is cut into contiguous
// pieces, at most one per thread; nested calls run in their caller's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "attune/threads.h"

namespace attune {

// A reference to a callable `void(int64_t begin, int64_t end)`, valid during the call to which it is passed.
class RangeBody {
 public:
  template <class F>
  RangeBody(const F& body)  // NOLINT(google-explicit-constructor): a lambda is meant to convert
      : object_(std::addressof(body)), call_([](const void* object, int64_t begin, int64_t end) {
          (*static_cast<const F*>(object))(begin, end);
        }) {}
  void operator()(int64_t begin, int64_t end) const { call_(object_, begin, end); }

 private:
  const void* object_;
  void (*call_)(const void*, int64_t, int64_t);
};

// Calls body(begin, end) for pieces that cover [0, n); a piece has at least `grain` items if n allows. An
// exception in a piece reaches the caller after all pieces have ended.
void parallel_for(int64_t n, int64_t grain, RangeBody body);

// How many pieces parallel_for(n, grain, ...) makes, so that callers can give each its own memory.
int64_t parallel_pieces(int64_t n, int64_t grain);

}  // namespace attune
