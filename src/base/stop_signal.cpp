#include "base/stop_signal.h"

#include <unistd.h>

namespace attune {
namespace {

constexpr int kInterrupted = 130;
volatile std::sig_atomic_t signals = 0;
const WakeUp* waiting = nullptr;

void ask(int) {
  signals = 1;
  if (waiting != nullptr) waiting->wake();
}

void ask_or_end(int number) {
  if (signals > 0) _exit(kInterrupted);
  ask(number);
}

}  // namespace

// The handler has a stack of its own: oneDNN's products let the stack pointer point into their workspace, and
// a signal's frame written there would overwrite what lies below it on the heap.
StopSignal::StopSignal(std::initializer_list<int> others) : stack_(size_t{1} << 16) {
  signals = 0;
  waiting = &wake_;
  const stack_t own{.ss_sp = stack_.data(), .ss_flags = 0, .ss_size = stack_.size()};
  sigaltstack(&own, &former_stack_);
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) take(number, ask_or_end);
  // These may come again and again, from what the program itself does on its way out.
  for (const int number : others) take(number, ask);
}

void StopSignal::take(int number, void (*handler)(int)) {
  struct sigaction action {
  }, before{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(number, nullptr, &before);
  if (handler == ask && before.sa_handler == SIG_IGN) return;
  sigaction(number, &action, nullptr);
  former_.emplace_back(number, before);
}

StopSignal::~StopSignal() {
  for (const auto& [number, before] : former_) sigaction(number, &before, nullptr);
  sigaltstack(&former_stack_, nullptr);
  waiting = nullptr;
}

bool StopSignal::asked() { return signals > 0; }

}  // namespace attune
