#include "serve/handler_threads.h"

namespace attune::serve {

HandlerThreads::HandlerThreads(size_t threads, size_t most_waiting)
    : most_waiting_(most_waiting), idle_(threads) {
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

HandlerThreads::~HandlerThreads() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool HandlerThreads::start(Task task) {
  const std::lock_guard lock(mutex_);
  if (tasks_.size() >= idle_ + most_waiting_) return false;
  tasks_.push_back(std::move(task));
  changed_.notify_one();
  return true;
}

void HandlerThreads::work() {
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopped_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
      --idle_;
    }
    task();
    const std::lock_guard lock(mutex_);
    ++idle_;
  }
}

}  // namespace attune::serve
