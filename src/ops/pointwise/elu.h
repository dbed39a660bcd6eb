// Activations of graph attention (Velickovic et al. 2018).
#pragma once

#include "attune/tensor.h"

namespace attune {

// Clevert et al. 2016:  x, or exp(x) - 1 below 0
Tensor elu(const Tensor& x);
// x, or x / 5 below 0
Tensor leaky_relu(const Tensor& x);

}  // namespace attune
