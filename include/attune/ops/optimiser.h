// Optimisation over flat buffers, in place.
#pragma once

#include <cstdint>

#include "attune/tensor.h"

namespace attune {

double squared_norm(const Tensor& x);
struct AdamStep {
  double learning_rate = 1e-3, beta1 = 0.9, beta2 = 0.98, eps = 1e-9;
  double weight_decay = 0;    // decoupled (AdamW)
  double gradient_scale = 1;  // multiplies the gradient: clipping, averaging
  int64_t step = 1;           // from 1
};
void adam(const Tensor& values, const Tensor& gradients, const Tensor& first, const Tensor& second,
          const AdamStep& step);

}  // namespace attune
