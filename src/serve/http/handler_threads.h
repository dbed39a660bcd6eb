// HandlerThreads: threads that answer requests, and a bounded queue of requests that wait for one.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>

#include "base/threads/team.h"

namespace attune::serve {

class HandlerThreads {
 public:
  struct Task {
    std::function<void()> run;  // throws nothing; ends soon after its life is stopped
    std::stop_token life;
    size_t bytes = 0;  // that it holds
  };
  struct Limits {
    size_t threads, waiting;  // most tasks that run at a time, and most that wait
    size_t bytes;             // that all tasks together hold; one alone may hold more
  };

  explicit HandlerThreads(const Limits& limits);
  ~HandlerThreads() = default;  // after all tasks
  HandlerThreads(const HandlerThreads&) = delete;
  HandlerThreads& operator=(const HandlerThreads&) = delete;

  // False if that would be too many. Tasks whose life was stopped do not count: they run at once, in the
  // caller's thread.
  bool start(Task task);

  size_t busy() const;  // tasks that run or wait

 private:
  void work();

  bool has_room(const Task& task) const;

  Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  size_t running_ = 0, bytes_ = 0;
  bool stopped_ = false;
  Team team_;
};

}  // namespace attune::serve
