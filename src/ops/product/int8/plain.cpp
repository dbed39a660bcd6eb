#include "ops/product/int8/plain.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/product/int8/product.h"

namespace attune {
namespace {

float largest(const float* x, int64_t k) {
  float most = 0;
  for (int64_t i = 0; i < k; ++i) {
    if (!std::isfinite(x[i])) return x[i];
    most = std::max(most, std::abs(x[i]));
  }
  return most;
}

}  // namespace

PlainInt8Matrix::PlainInt8Matrix(const Tensor& weight)
    : ProductForm(weight.columns(), weight.rows()), weight_(weight.detach()) {}

void PlainInt8Matrix::multiply(int64_t m, ColumnRange columns, const float* a, int64_t a_stride, float* c,
                               int64_t c_stride, bool accumulate) const {
  const auto scales = row_scales(weight_);
  std::vector<int64_t> p(static_cast<size_t>(k()));
  for (int64_t i = 0; i < m; ++i) {
    const float* x = a + i * a_stride;
    const QuantizedRow row = row_of_largest(largest(x, k()));
    std::transform(x, x + k(), p.begin(), [&](float number) {
      return row.inverse == 0 ? 0 : static_cast<int64_t>(std::nearbyint(number * row.inverse));
    });
    for (int64_t j = columns.begin; j < columns.end; ++j) {
      int64_t sum = 0;
      const auto q = weight_.row<int8_t>(j);
      for (size_t l = 0; l < q.size(); ++l) sum += p[l] * q[l];
      const float product = static_cast<float>(sum) * (row.scale * scales[static_cast<size_t>(j)]);
      float& to = c[i * c_stride + j];
      to = accumulate ? to + product : product;
    }
  }
}

}  // namespace attune
