#include "serve/http/handler_threads.h"

#include <algorithm>
#include <vector>

namespace attune::serve {

HandlerThreads::HandlerThreads(const Limits& limits)
    : limits_(limits),
      team_(
          limits.threads, "to answer requests", [this] { work(); },
          [this] {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
            changed_.notify_all();
          }) {}

bool HandlerThreads::has_room(const Task& task) const {
  return running_ + tasks_.size() < limits_.threads + limits_.waiting &&
         (bytes_ == 0 || bytes_ + task.bytes <= limits_.bytes);
}

bool HandlerThreads::start(Task task) {
  std::vector<Task> dead;
  bool taken = true;
  {
    const std::lock_guard lock(mutex_);
    if (!has_room(task)) {
      const auto stopped = [](const Task& each) { return each.life.stop_requested(); };
      std::ranges::copy_if(tasks_, std::back_inserter(dead), stopped);
      std::erase_if(tasks_, stopped);
      for (const Task& each : dead) bytes_ -= each.bytes;
    }
    taken = has_room(task);
    if (taken) {
      bytes_ += task.bytes;
      tasks_.push_back(std::move(task));
      changed_.notify_one();
    }
  }
  for (const Task& each : dead) each.run();
  return taken;
}

size_t HandlerThreads::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ + tasks_.size();
}

void HandlerThreads::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopped_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    size_t bytes = 0;
    {
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      bytes = task.bytes;
      ++running_;
      lock.unlock();
      task.run();
    }
    lock.lock();
    --running_;
    bytes_ -= bytes;
  }
}

}  // namespace attune::serve
