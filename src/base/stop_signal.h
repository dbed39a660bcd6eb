// StopSignal: during its lifetime, the first SIGINT, SIGTERM or SIGUSR1 (which mpirun passes on) requests a
// clean stop; a second one ends the program at once with 130. The signals in `others` request a stop too,
// unless the program was started with them ignored (nohup). For the main thread.
#pragma once

#include <csignal>
#include <exception>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/threads/wake_up.h"

namespace attune {

// Stopped by the user, with everything saved.
struct Interrupted : std::exception {};

class StopSignal {
 public:
  StopSignal(std::initializer_list<int> others = {});
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  static bool asked();
  int descriptor() const { return wake_.descriptor(); }  // readable once a stop was requested

 private:
  void take(int number, void (*handler)(int));

  WakeUp wake_;
  std::vector<std::pair<int, struct sigaction>> former_;  // the previous handlers
};

}  // namespace attune
