// Operations on numbers one by one, and the sum of all.
#pragma once

#include <cstdint>
#include <string_view>

#include "attune/random.h"
#include "attune/tensor.h"

namespace attune {

// Zeroes a share `p` of the numbers and scales the others by 1 / (1 - p). p = 0 does nothing.
struct Dropout {
  double p = 0;
  Random random;
};

enum class Activation : uint8_t { none, relu, gelu, gelu_tanh, silu, tanh, sigmoid };
std::string_view name(Activation activation);

Tensor add(const Tensor& a, const Tensor& b);  // b: the shape of a, or one row [d]
Tensor mul(const Tensor& a, const Tensor& b);  // likewise
Tensor scale(const Tensor& x, double factor);
Tensor activate(const Tensor& x, Activation activation);
Tensor dropout(const Tensor& x, const Dropout& dropout);
Tensor sum(const Tensor& x);  // [..] -> []

}  // namespace attune
