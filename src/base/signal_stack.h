// SignalStack: during its lifetime, the thread that made it handles signals on a separate stack, if their
// handler asks for that (SA_ONSTACK). A thread that already has such a stack keeps it.
#pragma once

#include <cstddef>
#include <vector>

namespace attune {

class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::vector<std::byte> memory_;
};

}  // namespace attune
