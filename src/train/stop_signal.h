// StopSignal: while it lives, the first SIGINT, SIGTERM or SIGUSR1 (which mpirun passes on) asks for a clean
// stop; a second one ends the program at once with 130. For the main thread.
#pragma once

#include <csignal>
#include <cstddef>
#include <vector>

#include "base/wake_up.h"

namespace attune {

class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  static bool asked();
  int descriptor() const { return wake_.descriptor(); }  // can be read once it is asked for

 private:
  WakeUp wake_;
  std::vector<std::byte> stack_;
  stack_t former_stack_;
  struct sigaction interrupt_, terminate_, user_;  // what was there before
};

}  // namespace attune
