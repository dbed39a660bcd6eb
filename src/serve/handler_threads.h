// HandlerThreads: threads that answer requests, and a bounded line of requests that wait for one.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace attune::serve {

class HandlerThreads {
 public:
  using Task = std::function<void()>;  // throws nothing

  HandlerThreads(size_t threads, size_t most_waiting);
  ~HandlerThreads();  // after all tasks
  HandlerThreads(const HandlerThreads&) = delete;
  HandlerThreads& operator=(const HandlerThreads&) = delete;

  // False if too many wait.
  bool start(Task task);

 private:
  void work();

  size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  size_t idle_ = 0;
  bool stopped_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace attune::serve
