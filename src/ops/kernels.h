// Kernels: the ways in which an operation, or a row of it, can be computed: fast ones first, the reference
// last. The first that accepts the arguments runs. ATTUNE_KERNELS=ref in the environment, or a
// ReferenceKernels object in scope, forces the reference.
//
//   const Kernels<void(const Tensor&, const Tensor&)> softmax_kernels{{softmax_fast, is_f32},
//                                                                     softmax_reference};
//   softmax_kernels(x, y);
//
// For the rows of one type of numbers, of which only f32 has a fast kernel:
//
//   template <class T>
//   constexpr Kernels<void(const NormRow<T>&, int64_t)> norm_rows{f32_only<T>(norm_row),
//                                                                 norm_row_reference<T>};
//   const auto row = norm_rows<T>.chosen();  // once, before the loop
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <type_traits>

namespace attune {

// Asked by Kernels, and for reports of which kernels run.
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

template <class Result, class... Args>
class Kernels<Result(Args...)> {
 public:
  using Run = Result (*)(Args...);
  using Accepts = bool (*)(Args...);

  struct Kernel {
    constexpr Kernel() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): a function is a kernel that takes everything
    constexpr Kernel(Run function, Accepts condition = nullptr) : run(function), accepts(condition) {}

    Run run = nullptr;          // null: there is none
    Accepts accepts = nullptr;  // null: everything
  };

  constexpr Kernels(std::initializer_list<Kernel> kernels) : reference_((kernels.end() - 1)->run) {
    std::copy(kernels.begin(), kernels.end() - 1, fast_.begin());
  }

  Result operator()(Args... args) const {
    if (!reference_kernels())
      for (const Kernel& kernel : fast_)
        if (kernel.run != nullptr && (kernel.accepts == nullptr || kernel.accepts(args...)))
          return kernel.run(args...);
    return reference_(args...);
  }

  // The first that accepts everything: for loops, which then choose once.
  Run chosen() const {
    if (!reference_kernels())
      for (const Kernel& kernel : fast_)
        if (kernel.run != nullptr && kernel.accepts == nullptr) return kernel.run;
    return reference_;
  }

 private:
  std::array<Kernel, 2> fast_;
  Run reference_;
};

// In a list for numbers of type T: a kernel for f32, or none.
template <class T, class Function>
constexpr auto f32_only(Function* run) {
  if constexpr (std::is_same_v<T, float>)
    return run;
  else
    return nullptr;
}

}  // namespace attune
