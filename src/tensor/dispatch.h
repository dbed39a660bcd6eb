// From a tensor's run-time type to a template: dispatch(dtype, []<class T>() { ... }).
#pragma once

#include "attune/tensor.h"
#include "base/check.h"

namespace attune {

// Floating-point types only: the types that operations compute in.
template <class F>
decltype(auto) dispatch(DType dtype, F&& body) {
  if (dtype == DType::f32) return body.template operator()<float>();
  if (dtype == DType::f64) return body.template operator()<double>();
  fail("the operation needs f32 or f64 numbers, but {} were given", name(dtype));
}

template <class F>
decltype(auto) dispatch_any(DType dtype, F&& body) {
  if (dtype == DType::i32) return body.template operator()<int32_t>();
  if (dtype == DType::i8) return body.template operator()<int8_t>();
  if (dtype == DType::bf16) return body.template operator()<BFloat16>();
  return dispatch(dtype, body);
}

}  // namespace attune
