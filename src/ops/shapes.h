// Checks of what an operation was given. The messages name the operation, the shapes and what was expected.
#pragma once

#include <initializer_list>
#include <string_view>

#include "attune/tensor.h"
#include "base/check.h"

namespace attune {

inline void check_float(std::string_view op, std::initializer_list<const Tensor*> tensors) {
  const Tensor* first = nullptr;
  for (const Tensor* t : tensors) {
    if (!t->defined()) continue;
    check(t->dtype() == DType::f32 || t->dtype() == DType::f64,
          "{}: it takes f32 or f64 numbers, but {} were given", op, name(t->dtype()));
    if (first == nullptr) first = t;
    check(t->dtype() == first->dtype(), "{}: {} and {} numbers cannot be mixed", op, name(first->dtype()),
          name(t->dtype()));
  }
  check(first != nullptr, "{}: it was given an undefined tensor", op);
}

inline void check_shape(std::string_view op, std::string_view what, const Tensor& tensor,
                        const Shape& expected) {
  check(tensor.defined(), "{}: {} is undefined, its shape should be {}", op, what, expected.str());
  check(tensor.shape() == expected, "{}: the shape of {} is {}, but {} was expected", op, what,
        tensor.shape().str(), expected.str());
}

inline void check_rank(std::string_view op, std::string_view what, const Tensor& tensor, int rank) {
  check(tensor.defined(), "{}: {} is undefined", op, what);
  check(tensor.shape().rank() == rank, "{}: {} should have {} dimensions, but its shape is {}", op, what,
        rank, tensor.shape().str());
}

// The tensor itself, or a copy whose rows lie together.
inline Tensor packed(const Tensor& tensor) { return tensor.contiguous() ? tensor.detach() : tensor.clone(); }

}  // namespace attune
