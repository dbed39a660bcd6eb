// One row of a norm, forward and backward; see norm.cpp for the equations.
#pragma once

#include <cstdint>

namespace attune {

template <class T>
struct NormRow {
  const T* x;         // [n]
  const T* residual;  // [n]; null: the sum is x itself
  const T* factors;   // of dropout [n], or null
  const T* gamma;     // [n]
  const T* beta;      // [n]; null: RMS norm
  T eps;
  T* sum;   // [n] out; unused without residual
  T* y;     // [n] out
  T* mean;  // out; 0 for RMS norm
  T* rstd;  // out: 1 / sqrt(var + eps)

  // Row r, where this is row 0.
  NormRow at(int64_t r, int64_t n, const T* row_factors) const {
    return {x + r * n,   residual == nullptr ? nullptr : residual + r * n,
            row_factors, gamma,
            beta,        eps,
            sum + r * n, y + r * n,
            mean + r,    rstd + r};
  }
};

template <class T>
struct NormGradientRow {
  const T* sum;  // [n]
  T mean, rstd;
  bool centred;      // layer norm
  const T* factors;  // or null
  const T* gamma;
  const T* dy;    // or null
  const T* dsum;  // or null
  T* dresidual;   // [n] out
  T* dx;          // [n] out, if there are factors
  T* dgamma;      // [n] added to
  T* dbeta;       // [n] added to
};

// f32, vectorised.
void norm_row(const NormRow<float>& row, int64_t n);
void norm_gradient_row(const NormGradientRow<float>& row, int64_t n);

}  // namespace attune
