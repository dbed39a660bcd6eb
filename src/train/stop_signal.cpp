#include "train/stop_signal.h"

#include <unistd.h>

namespace attune {
namespace {

constexpr int kInterrupted = 130;
volatile std::sig_atomic_t signals = 0;
const WakeUp* waiting = nullptr;

void count_signal(int) {
  if (signals > 0) _exit(kInterrupted);
  signals = 1;
  if (waiting != nullptr) waiting->wake();
}

}  // namespace

// The handler has a stack of its own: oneDNN's products let the stack pointer point into their workspace, and
// a signal's frame written there would overwrite what lies below it on the heap.
StopSignal::StopSignal() : stack_(size_t{1} << 16) {
  signals = 0;
  waiting = &wake_;
  const stack_t own{.ss_sp = stack_.data(), .ss_flags = 0, .ss_size = stack_.size()};
  sigaltstack(&own, &former_stack_);
  struct sigaction action {};
  action.sa_handler = count_signal;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
  sigaction(SIGUSR1, &action, &user_);
}

StopSignal::~StopSignal() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
  sigaction(SIGUSR1, &user_, nullptr);
  sigaltstack(&former_stack_, nullptr);
  waiting = nullptr;
}

bool StopSignal::asked() { return signals > 0; }

}  // namespace attune
