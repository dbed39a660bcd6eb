#include "ops/product/linear_form.h"

#include "ops/pointwise/activation.h"
#include "ops/shapes.h"

namespace attune {

void finish_rows(const LinearResult& result, const Tensor& bias, Activation activation, int64_t begin,
                 int64_t end, ColumnRange columns) {
  if (!bias && activation == Activation::none) return;
  const int64_t n = result.y.columns();
  for (int64_t r = begin; r < end; ++r) {
    const int64_t first = r * n + columns.begin;
    float* y = result.y.data<float>() + first;
    activate_row(activation, y, bias ? bias.data<float>() + columns.begin : nullptr,
                 result.kept ? result.kept.data<float>() + first : nullptr, y, columns.end - columns.begin);
  }
}

void linear_by_form(const Tensor& x, const ProductForm& form, const Tensor& bias, Activation activation,
                    const LinearResult& result) {
  const float* in = x.data<float>();
  float* out = result.y.data<float>();
  for_product_pieces(x.rows(), form, [&](int64_t begin, int64_t end, ColumnRange columns) {
    form.multiply(end - begin, columns, in + begin * x.row_stride(), x.row_stride(), out + begin * form.n(),
                  form.n(), false);
    finish_rows(result, bias, activation, begin, end, columns);
  });
}

void linear_of_rounded(const Tensor& x, const Bf16Matrix& form, const Tensor& bias, Activation activation,
                       const LinearResult& result) {
  float* out = result.y.data<float>();
  for_product_pieces(x.rows(), form, [&](int64_t begin, int64_t end, ColumnRange columns) {
    form.multiply_rounded(end - begin, columns, row_of<BFloat16>(x, begin), x.row_stride(),
                          out + begin * form.n(), form.n(), false);
    finish_rows(result, bias, activation, begin, end, columns);
  });
}

}  // namespace attune
