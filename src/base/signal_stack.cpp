#include "base/signal_stack.h"

#include <csignal>

namespace attune {

SignalStack::SignalStack() {
  stack_t now{};
  sigaltstack(nullptr, &now);
  if ((now.ss_flags & SS_DISABLE) == 0) return;
  memory_.resize(size_t{1} << 16);
  const stack_t own{.ss_sp = memory_.data(), .ss_flags = 0, .ss_size = memory_.size()};
  sigaltstack(&own, nullptr);
}

SignalStack::~SignalStack() {
  if (memory_.empty()) return;
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  sigaltstack(&none, nullptr);
}

}  // namespace attune
