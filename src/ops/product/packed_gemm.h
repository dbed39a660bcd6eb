// PackedMatrix: products with a matrix that is used many times: B is packed once, into panels as wide as a
// register tile.
#pragma once

#include "ops/product/gemm.h"
#include "ops/product/product_form.h"

namespace attune {

class PackedMatrix final : public ProductForm {
 public:
  PackedMatrix() : ProductForm(0, 0) {}
  // op(b) is [k, n], f32. `packed(begin, end)` is called for columns that were read, in any order and thread.
  PackedMatrix(int64_t k, int64_t n, MatrixOf<const float> b,
               const std::function<void(int64_t, int64_t)>& packed = {});

  using ProductForm::multiply;
  int64_t panel_width() const override { return panels_.columns(); }
  int64_t most_rows() const override { return k() <= 1024 ? 144 : 72; }
  void multiply(int64_t m, ColumnRange columns, const float* a, int64_t a_stride, float* c, int64_t c_stride,
                bool accumulate) const override;

 private:
  Tensor panels_;  // [panels, k, panel width]
};

// c = alpha op(a) op(b) + beta c, with both operands packed first: gemm() where there is no oneDNN.
void packed_gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
                 MatrixOf<float> c, float alpha, float beta);

}  // namespace attune
