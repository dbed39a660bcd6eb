// The activations on single numbers: the value f(x), and the slope f'(x) from what the forward pass keeps
// (its result if that is enough, otherwise its input).
#pragma once

#include <cmath>
#include <numbers>

#include "attune/ops/elementwise.h"

namespace attune {

constexpr bool slope_needs_input(Activation a) {
  return a == Activation::gelu || a == Activation::gelu_tanh || a == Activation::silu;
}

// GELU by tanh, as in GPT-2:  x/2 (1 + tanh(u)) = x sigmoid(2u),  u = sqrt(2/pi) (x + 0.044715 x^3)
constexpr double kGeluTanhScale = 0.7978845608028654, kGeluTanhCube = 0.044715;

template <class T>
T activation_value(Activation a, T x) {
  switch (a) {
    case Activation::none: return x;
    case Activation::relu: return x < 0 ? T{0} : x;  // NaN stays NaN
    case Activation::gelu: return x * T{0.5} * (1 + std::erf(x / std::numbers::sqrt2_v<T>));
    case Activation::gelu_tanh: {
      const T u = T(kGeluTanhScale) * (x + T(kGeluTanhCube) * x * x * x);
      return x / (1 + std::exp(-2 * u));
    }
    case Activation::silu: return x / (1 + std::exp(-x));
    case Activation::tanh: return std::tanh(x);
    case Activation::sigmoid: return 1 / (1 + std::exp(-x));
  }
  return x;
}

template <class T>
T activation_slope(Activation a, T kept) {
  switch (a) {
    case Activation::none: return 1;
    case Activation::relu: return kept > 0 ? T{1} : T{0};
    case Activation::gelu: {
      const T density = std::exp(-kept * kept / 2) * std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>;
      return T{0.5} * (1 + std::erf(kept / std::numbers::sqrt2_v<T>)) + kept * density;
    }
    case Activation::gelu_tanh: {
      const T square = kept * kept;
      const T s = 1 / (1 + std::exp(-2 * T(kGeluTanhScale) * kept * (1 + T(kGeluTanhCube) * square)));
      return s * (1 + 2 * kept * (1 - s) * T(kGeluTanhScale) * (1 + 3 * T(kGeluTanhCube) * square));
    }
    case Activation::silu: {
      const T s = 1 / (1 + std::exp(-kept));
      return s * (1 + kept * (1 - s));
    }
    case Activation::tanh: return 1 - kept * kept;
    case Activation::sigmoid: return kept * (1 - kept);
  }
  return 1;
}

// y = f(x + bias) over n numbers in f32, vectorised; bias may be null, y may be x. If `kept` is not null it
// receives x + bias.
void activate_row(Activation activation, const float* x, const float* bias, float* kept, float* y, int64_t n);

// dx = dy f'(kept), row by row; dx's column sums are added to `sums` unless it is undefined, in the order of
// rows.
void activation_backward(Activation activation, const Tensor& kept, const Tensor& dy, const Tensor& dx,
                         const Tensor& sums = {});

}  // namespace attune
