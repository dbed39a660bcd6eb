// Kernels: the ways in which an operation's inner loop can run, fastest first, the reference last. The first
// that accepts the arguments runs. ATTUNE_KERNELS=ref in the environment, or a ReferenceKernels object in
// scope, forces the reference.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace attune {

bool reference_kernels();

class ReferenceKernels {
 public:
  ReferenceKernels();
  ~ReferenceKernels();
  ReferenceKernels(const ReferenceKernels&) = delete;
  ReferenceKernels& operator=(const ReferenceKernels&) = delete;
};

template <class Signature>
class Kernels;

template <class... Args>
class Kernels<void(Args...)> {
 public:
  struct Kernel {
    std::string_view name;
    bool (*accepts)(Args...);
    void (*run)(Args...);
  };

  Kernels(std::initializer_list<Kernel> kernels) : kernels_(kernels) {}

  void operator()(Args... args) const {
    if (!reference_kernels())
      for (const Kernel& kernel : kernels_)
        if (kernel.accepts(args...)) return kernel.run(args...);
    kernels_.back().run(args...);
  }

 private:
  std::vector<Kernel> kernels_;
};

}  // namespace attune
