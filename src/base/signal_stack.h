// SignalStack: while it lives, the thread that made it takes signals on a stack of their own, if their
// handler asks for that (SA_ONSTACK). A thread that has such a stack already keeps it.
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
