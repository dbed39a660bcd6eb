// PlainBf16Matrix: the same product as Bf16Matrix with plain loops, directly from the matrix in bf16.
#pragma once

#include "ops/product/product_form.h"

namespace attune {

class PlainBf16Matrix final : public ProductForm {
 public:
  // W^T of a bf16 W [n, k].
  explicit PlainBf16Matrix(const Tensor& weight);

  using ProductForm::multiply;
  int64_t panel_width() const override { return 1; }
  void multiply(int64_t m, ColumnRange columns, const float* a, int64_t a_stride, float* c, int64_t c_stride,
                bool accumulate) const override;

 private:
  Tensor weight_;
};

}  // namespace attune
