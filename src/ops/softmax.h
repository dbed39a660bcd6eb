// Softmax of a single row, for operations whose rows differ in length.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace attune {

// log sum_k exp(x_k) of n > 0 numbers; if all are -inf, -inf.
template <class T>
T logarithm_of_sum(const T* x, size_t n) {
  const T max = *std::max_element(x, x + n);
  if (max == -std::numeric_limits<T>::infinity()) return max;
  T total = 0;
  for (size_t i = 0; i < n; ++i) total += std::exp(x[i] - max);
  return max + std::log(total);
}

// y = softmax(x); if all are -inf, zeros.
template <class T>
void softmax_row_reference(const T* x, T* y, size_t n) {
  if (n == 0) return;
  const T l = logarithm_of_sum(x, n);
  for (size_t i = 0; i < n; ++i) y[i] = std::isinf(l) && l < 0 ? T{0} : std::exp(x[i] - l);
}

// The same in f32, vectorised.
void softmax_row(const float* x, float* y, size_t n);

// dx = y (dy - sum_k dy_k y_k); dx may be dy.
template <class T>
void softmax_gradient_row(const T* y, const T* dy, T* dx, size_t n) {
  T dot = 0;
  for (size_t i = 0; i < n; ++i) dot += dy[i] * y[i];
  for (size_t i = 0; i < n; ++i) dx[i] = y[i] * (dy[i] - dot);
}

}  // namespace attune
