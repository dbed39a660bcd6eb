// Matrix products inside operations: C = alpha op(A) op(B) + beta C on row-major memory.
#pragma once

#include <cstdint>

#include "attune/tensor.h"
#include "tensor/precision.h"

namespace attune {

template <class T>
struct MatrixOf {
  T* data = nullptr;
  int64_t stride = 0;      // elements from one row to the next
  bool transpose = false;  // op(A) = A^T
};

// The rows of a tensor from `first_row` on.
template <class T>
MatrixOf<const T> matrix_of(const Tensor& tensor, int64_t first_row, bool transpose = false) {
  return {tensor.data<T>() + first_row * tensor.row_stride(), tensor.row_stride(), transpose};
}

// op(a) is [m, k], op(b) is [k, n], c is [m, n] and is not transposed. beta = 0 does not read c. f32 runs on
// oneDNN, or with both operands rounded to bf16 (see bf16/matrix.h), unless reference kernels are forced; f64
// is always the reference.
void gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
          MatrixOf<float> c, float alpha = 1, float beta = 0, Precision precision = Precision::f32);
inline void gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
                 MatrixOf<float> c, Precision precision) {
  gemm(m, n, k, a, b, c, 1, 0, precision);
}
void gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const double> a, MatrixOf<const double> b,
          MatrixOf<double> c, double alpha = 1, double beta = 0, Precision precision = Precision::f32);

}  // namespace attune
