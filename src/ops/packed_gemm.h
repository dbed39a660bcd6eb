// Products with a matrix that is used many times: B is packed once, into panels as wide as a register tile.
// The sum over k has one fixed order for every number of rows, so a row's bits do not depend on its
// neighbours.
#pragma once

#include <cstdint>

#include "attune/tensor.h"
#include "ops/gemm.h"

namespace attune {

class PackedMatrix {
 public:
  PackedMatrix() = default;
  // op(b) is [k, n], f32.
  PackedMatrix(int64_t k, int64_t n, MatrixOf<const float> b);

  int64_t k() const { return k_; }
  int64_t n() const { return n_; }

  // c[m, n] = a[m, k] b, or += if accumulate. Runs in the calling thread.
  void multiply(int64_t m, const float* a, int64_t a_stride, float* c, int64_t c_stride,
                bool accumulate = false) const;

 private:
  Tensor panels_;  // [panels, k, panel width]
  int64_t k_ = 0, n_ = 0;
};

}  // namespace attune
