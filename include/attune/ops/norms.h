// Operations on the last dimension that normalise each row.
#pragma once

#include "attune/ops/elementwise.h"
#include "attune/tensor.h"

namespace attune {

// Normalised exponentials. A row of only -inf gives zeros (softmax) or -inf.
Tensor softmax(const Tensor& x);
Tensor log_softmax(const Tensor& x);

// gamma (x - mean) / sqrt(var + eps) + beta, and gamma x / sqrt(mean(x^2) + eps)
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps = 1e-5);
Tensor rms_norm(const Tensor& x, const Tensor& gamma, double eps = 1e-5);
struct ResidualNorm {
  Tensor sum;     // residual + dropout(x)
  Tensor normed;  // its layer norm, or its RMS norm if beta is undefined
};
ResidualNorm residual_norm(const Tensor& x, const Tensor& residual, const Tensor& gamma, const Tensor& beta,
                           const Dropout& dropout = {}, double eps = 1e-5);

}  // namespace attune
