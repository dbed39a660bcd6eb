// StopSignal: while it lives, the first SIGINT or SIGTERM asks for a clean stop; a second one ends the
// program at once with 130. For the main thread.
#pragma once

#include <csignal>
#include <cstddef>
#include <vector>

namespace attune {

class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  static bool asked();

 private:
  std::vector<std::byte> stack_;
  stack_t former_stack_;
  struct sigaction interrupt_, terminate_;  // what was there before
};

}  // namespace attune
