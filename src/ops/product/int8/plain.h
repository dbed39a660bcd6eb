// PlainInt8Matrix: the same results as Int8Matrix with plain loops, directly from the quantised matrix.
#pragma once

#include "ops/product/product_form.h"

namespace attune {

class PlainInt8Matrix final : public ProductForm {
 public:
  // W^T of a quantised W [n, k].
  explicit PlainInt8Matrix(const Tensor& weight);

  using ProductForm::multiply;
  int64_t panel_width() const override { return 1; }
  void multiply(int64_t m, ColumnRange columns, const float* a, int64_t a_stride, float* c, int64_t c_stride,
                bool accumulate) const override;

 private:
  Tensor weight_;
};

}  // namespace attune
