// Waiting for a condition that another thread makes true, at most until a time or a stop.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace attune {

// Whether it holds at the end.
template <class Holds>
bool wait_until(std::condition_variable_any& changed, std::unique_lock<std::mutex>& lock,
                const std::stop_token& life, std::chrono::steady_clock::time_point until,
                const Holds& holds) {
#ifdef __EMSCRIPTEN__  // its standard library has no such wait, nor has it threads to wait for
  (void)changed, (void)lock, (void)life, (void)until;
  return holds();
#else
  return changed.wait_until(lock, life, until, holds);
#endif
}

}  // namespace attune
