// oneDNN's own matrix product, for the benchmark: ours are timed beside it.
#pragma once

#include <dnnl.h>

#include "attune/tensor.h"

namespace attune {

// op(a) op(b), where op may transpose.
inline Tensor onednn_product(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  const int64_t m = transpose_a ? a.columns() : a.rows(), k = transpose_a ? a.rows() : a.columns(),
                n = transpose_b ? b.rows() : b.columns();
  const Tensor c({m, n});
  dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, 1, a.data<float>(), a.columns(),
             b.data<float>(), b.columns(), 0, c.data<float>(), n);
  return c;
}

}  // namespace attune
