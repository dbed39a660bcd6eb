// Rows and columns of matrices: selecting, slicing, joining.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "attune/tensor.h"

namespace attune {

constexpr int32_t kNoWord = INT32_MIN;                                       // its row is zero
Tensor embedding(const Tensor& table, const Tensor& ids, double scale = 1);  // [v, d] i32 [n] -> [n, d]
Tensor reshape(const Tensor& x, const Shape& shape);
Tensor slice_rows(const Tensor& x, int64_t begin, int64_t end);  // [n, d] -> [end - begin, d]
Tensor concat_rows(std::span<const Tensor> parts);               // [n_i, d] -> [sum n_i, d]
Tensor concat_columns(std::span<const Tensor> parts);            // [n, d_i] -> [n, sum d_i]
inline Tensor concat_columns(std::initializer_list<Tensor> parts) {
  return concat_columns(std::span(parts.begin(), parts.size()));
}
std::vector<Tensor> split_columns(const Tensor& x, std::span<const int64_t> sizes);

}  // namespace attune
