// Budget: an amount of something that all requests share. Each takes its part for a while.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

#include "attune/patience.h"
#include "base/threads/wait.h"

namespace attune::serve {

class Budget {
 public:
  explicit Budget(size_t most) : most_(most) {}

  // A part, as long as somebody holds it. Waits at most until then for others to give theirs back, and ends
  // with the caller's Patience; null if there is not so much. Somebody alone gets any amount: all that there
  // is.
  std::shared_ptr<void> take(size_t amount, Patience::Time until = {}) {
    amount = std::min(amount, most_);
    std::unique_lock lock(mutex_);
    const auto fits = [&] { return taken_ + amount <= most_; };
    if (!wait_until(changed_, lock, Patience::life(), until, fits)) return nullptr;
    taken_ += amount;
    return {this, [amount](Budget* budget) { budget->give_back(amount); }};
  }

 private:
  void give_back(size_t amount) {
    const std::lock_guard lock(mutex_);
    taken_ -= amount;
    changed_.notify_all();
  }

  size_t most_, taken_ = 0;
  std::mutex mutex_;
  std::condition_variable_any changed_;
};

}  // namespace attune::serve
