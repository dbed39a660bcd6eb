// Quantised matrices: numbers of 8 bits with one scale a row,  x_rc = scale_r q_rc.  They are made of weights
// that are only used: a matrix W [n, k] of y = x W^T has then a scale for each column of y.
#pragma once

#include <span>

#include "attune/parameters.h"
#include "attune/tensor.h"

namespace attune {

constexpr int kLargestInt8 = 127;  // -128 is not used: positive and negative numbers are alike

// f32 [n, k] -> i8 [n, k] with scale_r = max_c |x_rc| / 127. Numbers that are not finite are refused.
Tensor quantized(const Tensor& matrix);

// The i8 numbers [n, k] of a file with their scales, f32 [n].
Tensor quantized(const Tensor& numbers, const Tensor& scales);

bool is_quantized(const Tensor& tensor);

// The scales of its rows; the tensor may be a view of some rows and columns of a quantised one.
std::span<const float> row_scales(const Tensor& tensor);

// Its numbers in f32.
Tensor dequantized(const Tensor& tensor);

// The source of parameters that are copies of these, every matrix quantised.
ParameterSource quantized(const Parameters& parameters);
bool any_quantized(const Parameters& parameters);

}  // namespace attune
