// Bf16Matrix: products with a matrix of bf16 numbers and f32 sums. Rows of A in f32 are rounded on the fly:
//   c_ij = sum_k bf16(a_ik) bf16(b_kj)
// Each factor is off by at most 2^-8 of itself, so c_ij by at most about 2^-7 sum_k |a_ik b_kj|.
#pragma once

#include "ops/product/bf16/pack.h"
#include "ops/product/bf16/product.h"
#include "ops/product/product_form.h"

namespace attune {

class Bf16Matrix final : public ProductForm {
 public:
  // op(b) is [k, n].
  Bf16Matrix(int64_t k, int64_t n, const Roundable& b, Bf16Scheme scheme = fastest_bf16_scheme(),
             const std::function<void(int64_t, int64_t)>& packed = {});

  using ProductForm::multiply;
  int64_t panel_width() const override { return kBf16Panel; }
  int64_t most_rows() const override { return 128; }
  // As decoding multiplies: since the last time, other weights have taken the matrix's place in the cache.
  void multiply(int64_t m, ColumnRange columns, const float* a, int64_t a_stride, float* c, int64_t c_stride,
                bool accumulate) const override;
  // The same with rows that are rounded() already, soon after the matrix was made or used.
  void multiply_rounded(int64_t m, ColumnRange columns, const BFloat16* a, int64_t a_stride, float* c,
                        int64_t c_stride, bool accumulate) const;
  void multiply_rounded(const Tensor& a, MatrixOf<float> c, bool accumulate) const;  // over all threads

 private:
  Bf16Product product(int64_t m, ColumnRange columns, const BFloat16* a, int64_t a_stride, float* c,
                      int64_t c_stride, bool accumulate) const;

  Bf16Scheme scheme_;
  Tensor panels_;
};

// c [m, n] = op(a) op(b), or += if accumulate, over all threads.
void bf16_gemm(int64_t m, int64_t n, int64_t k, const Roundable& a, const Roundable& b, MatrixOf<float> c,
               bool accumulate = false);

}  // namespace attune
