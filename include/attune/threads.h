// How many threads the kernels of the calling thread may use.
#pragma once

namespace attune {

int threads();
void set_threads(int count);

// Sets the number of threads for a scope.
class ThreadCount {
 public:
  explicit ThreadCount(int count) : before_(threads()) { set_threads(count); }
  ~ThreadCount() { set_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

}  // namespace attune
