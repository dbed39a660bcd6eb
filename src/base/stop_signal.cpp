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

StopSignal::StopSignal(std::initializer_list<int> others) {
  signals = 0;
  waiting = &wake_;
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) take(number, ask_or_end);
  // These may arrive again and again, caused by the program itself while it exits.
  for (const int number : others) take(number, ask);
}

// A signal may arrive in any thread. One that is inside a oneDNN product has a SignalStack for it
// (ops/product/gemm.cpp); in the others the handler, which needs little, runs on their own stack.
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
  waiting = nullptr;
}

bool StopSignal::asked() { return signals > 0; }

}  // namespace attune
