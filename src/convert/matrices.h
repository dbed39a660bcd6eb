// Matrices of other toolkits that are parts of attune's, or lie in them differently.
#pragma once

#include <vector>

#include "attune/tensor.h"

namespace attune {

// [a; b; ..]: rows below each other; vectors behind each other. A UsageError if they do not fit.
Tensor joined(const std::vector<Tensor>& parts);
// The inverse: as many parts of the same size.
std::vector<Tensor> parted(const Tensor& all, int64_t parts);

Tensor transposed_matrix(const Tensor& matrix);

}  // namespace attune
