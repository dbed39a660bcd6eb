// Quantised matrices: 8-bit numbers with one scale per row,  x_rc = scale_r q_rc.  They are made from weights
// that are not being trained: a matrix W [n, k] of y = x W^T then has a scale for each column of y.
#pragma once

#include <span>

#include "attune/parameters.h"
#include "attune/tensor.h"

namespace attune {

constexpr int kLargestInt8 = 127;  // -128 is not used, so that the range is symmetric

// f32 [n, k] -> i8 [n, k] with scale_r = max_c |x_rc| / 127. Numbers that are not finite are refused.
Tensor quantized(const Tensor& matrix);

// From the i8 numbers [n, k] in a file and their scales, f32 [n].
Tensor quantized(const Tensor& numbers, const Tensor& scales);

bool is_quantized(const Tensor& tensor);

// The scales of its rows; the tensor may be a view of some rows and columns of a quantised one.
std::span<const float> row_scales(const Tensor& tensor);

// Its numbers in f32.
Tensor dequantized(const Tensor& tensor);

// Matrices in fewer bits than f32, which cannot be trained: quantised ones, and bf16.
bool is_narrow(const Tensor& tensor);
Tensor widened(const Tensor& tensor);  // in f32

// The source of parameters that are copies of these, with every matrix quantised, or rounded to bf16.
ParameterSource quantized(const Parameters& parameters);
ParameterSource rounded(const Parameters& parameters);
bool any_narrow(const Parameters& parameters);

}  // namespace attune
