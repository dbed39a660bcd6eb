// Sums over the rows of a matrix, for the gradients of biases and gains.
#pragma once

#include "attune/tensor.h"

namespace attune {

// The column sums of x [rows, n] as a gradient of shape [n]: added to `buffer` if it is defined (then the
// result is undefined), otherwise a new tensor. Each column is summed in the order of the rows.
Tensor column_sums(const Tensor& x, const Tensor& buffer);

}  // namespace attune
