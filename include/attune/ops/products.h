// Matrix products.
#pragma once

#include "attune/ops/elementwise.h"
#include "attune/tensor.h"

namespace attune {

Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a = false,
              bool transpose_b = false);  // [m, k] [k, n] -> [m, n]; [b, m, k] [b, k, n] -> [b, m, n]
// activation(x weight^T + bias)
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
              Activation activation = Activation::none);  // [.., in] [out, in] [out] -> [.., out]

}  // namespace attune
