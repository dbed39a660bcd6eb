#include "base/threads/team.h"

#include <system_error>

#include "base/check.h"

namespace attune {

Team::Team(size_t threads, const std::string& purpose, const std::function<void()>& work,
           std::function<void()> stop)
    : stop_(std::move(stop)) {
  threads_.reserve(threads);
  try {
    while (threads_.size() < threads) threads_.emplace_back(work);
  } catch (const std::system_error& error) {
    const size_t started = threads_.size();
    end();
    fail("the system allows only {} of {} threads {} ({}); use fewer, or raise its limits (`ulimit -a`)",
         started, threads, purpose, error.code().message());
  }
}

Team::~Team() { end(); }

void Team::end() {
  stop_();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace attune
