// Checks of an operation's arguments. The messages name the operation, the shapes and what was expected.
#pragma once

#include <initializer_list>
#include <string_view>

#include "attune/autograd.h"
#include "attune/tensor.h"
#include "base/check.h"
#include "tensor/format.h"
#include "tensor/quantized.h"

namespace attune {

// All numbers are f32, or all are f64.
inline void check_float(std::string_view op, std::initializer_list<const Tensor*> tensors) {
  const Tensor* first = nullptr;
  for (const Tensor* t : tensors) {
    if (!t->defined()) continue;
    if (t->dtype() != DType::f32 && t->dtype() != DType::f64)
      fail("{}: f32 or f64 numbers are needed, but {} were given", op, t->dtype());
    if (first == nullptr) first = t;
    if (t->dtype() != first->dtype())
      fail("{}: {} and {} numbers cannot be mixed", op, first->dtype(), t->dtype());
  }
  if (first == nullptr) fail("{}: a tensor is undefined", op);
}

// The same with weights, each of which may be quantised or bf16 if the others are f32 and no gradients are
// needed.
inline void check_float(std::string_view op, std::initializer_list<const Tensor*> tensors,
                        std::initializer_list<const Tensor*> weights) {
  check_float(op, tensors);
  for (const Tensor* weight : weights) {
    if (!is_narrow(*weight)) {
      check_float(op, {*tensors.begin(), weight});
      continue;
    }
    for (const Tensor* t : tensors) {
      if (t->defined() && t->dtype() != DType::f32)
        fail("{}: {} numbers cannot be mixed with quantised or bf16 ones", op, t->dtype());
      if (recording(*t)) fail("{}: quantised or bf16 weights cannot be trained", op);
    }
  }
}

inline void check_shape(std::string_view op, std::string_view what, const Tensor& tensor,
                        const Shape& expected) {
  if (!tensor.defined()) fail("{}: {} is undefined; its shape should be {}", op, what, expected);
  if (tensor.shape() != expected)
    fail("{}: the shape of {} is {}, but {} was expected", op, what, tensor.shape(), expected);
}

inline void check_rank(std::string_view op, std::string_view what, const Tensor& tensor, int rank) {
  if (!tensor.defined()) fail("{}: {} is undefined", op, what);
  if (tensor.shape().rank() != rank)
    fail("{}: {} should have {} dimensions, but its shape is {}", op, what, rank, tensor.shape());
}

// Row r of a matrix whose rows may not be contiguous.
template <class T>
T* row_of(const Tensor& tensor, int64_t r) {
  return tensor.data<T>() + r * tensor.row_stride();
}

// The tensor itself, or a contiguous copy.
inline Tensor packed(const Tensor& tensor) { return tensor.contiguous() ? tensor.detach() : tensor.clone(); }

// A matrix with a cache line between its rows. With rows a power of two apart, a product with its transpose
// would put whole columns into a few cache sets (107 instead of 165 GFLOP/s for the gradient of a recurrent
// weight, h = 512).
inline Tensor rows_apart(int64_t rows, int64_t columns, DType dtype = DType::f32) {
  return Tensor({rows, columns + 16}, dtype).view_columns(0, columns);
}

}  // namespace attune
