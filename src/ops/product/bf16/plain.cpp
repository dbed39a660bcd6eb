#include "ops/product/bf16/plain.h"

namespace attune {

PlainBf16Matrix::PlainBf16Matrix(const Tensor& weight)
    : ProductForm(weight.columns(), weight.rows()), weight_(weight.detach()) {}

void PlainBf16Matrix::multiply(int64_t m, ColumnRange columns, const float* a, int64_t a_stride, float* c,
                               int64_t c_stride, bool accumulate) const {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = columns.begin; j < columns.end; ++j) {
      const auto w = weight_.row<BFloat16>(j);
      float& to = c[i * c_stride + j];
      float sum = accumulate ? to : 0;
      for (size_t l = 0; l < w.size(); ++l)
        sum += static_cast<float>(BFloat16(a[i * a_stride + static_cast<int64_t>(l)])) *
               static_cast<float>(w[l]);
      to = sum;
    }
}

}  // namespace attune
