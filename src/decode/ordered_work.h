// Processes pieces of work in several threads, with results in the order of the pieces and only a few pieces
// in memory.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace attune {

// `next` returns the pieces, then nothing, in a thread of its own; `work` runs in `workers` threads; `done`
// gets the results in order, in the caller's thread. The first exception from any of them ends everything and
// is thrown here; results of pieces before the one that failed are still delivered. `interrupt`, if given,
// wakes a `next` that is still waiting for a piece that is no longer needed.
template <class Piece, class Result>
void ordered_work(int workers, const std::function<std::optional<Piece>()>& next,
                  const std::function<Result(Piece&&)>& work, const std::function<void(Result&&)>& done,
                  const std::function<void()>& interrupt = {}) {
  struct Slot {
    std::optional<Piece> piece;
    std::optional<Result> result;
    std::exception_ptr error;
    bool taken = false;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Slot> slots;  // from the oldest whose result has not been delivered
  bool ended = false, stopped = false;
  const size_t most = 2 * static_cast<size_t>(workers) + 1;

  const auto read = [&] {
    for (;;) {
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return stopped || slots.size() < most; });
        if (stopped) return;
      }
      Slot slot;
      try {
        slot.piece = next();
      } catch (...) {
        slot.error = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      ended = !slot.piece;
      if (slot.piece || slot.error) slots.push_back(std::move(slot));
      changed.notify_all();
      if (ended) return;
    }
  };
  const auto run = [&] {
    for (;;) {
      Slot* slot = nullptr;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] {
          for (Slot& each : slots)
            if (!each.taken && each.piece) {
              slot = &each;
              break;
            }
          return stopped || slot != nullptr || ended;
        });
        if (stopped || slot == nullptr) return;
        slot->taken = true;
      }
      // Adding and removing at the ends of a deque does not move the other elements.
      std::optional<Result> result;
      std::exception_ptr error;
      try {
        result = work(std::move(*slot->piece));
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      slot->result = std::move(result);
      slot->error = error;
      changed.notify_all();
    }
  };

  std::vector<std::jthread> threads;
  const auto stop = [&] {
    if (interrupt) interrupt();
    const std::lock_guard lock(mutex);
    stopped = true;
    changed.notify_all();
  };
  try {
    threads.emplace_back(read);
    for (int i = 0; i < workers; ++i) threads.emplace_back(run);
    for (;;) {
      std::optional<Result> result;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] {
          return slots.empty() ? ended : slots.front().result.has_value() || slots.front().error != nullptr;
        });
        if (slots.empty()) break;
        if (slots.front().error) std::rethrow_exception(slots.front().error);
        result = std::move(slots.front().result);
        slots.pop_front();
        changed.notify_all();
      }
      done(std::move(*result));
    }
  } catch (...) {
    stop();
    throw;
  }
}

}  // namespace attune
