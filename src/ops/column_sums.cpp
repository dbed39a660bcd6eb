#include "ops/column_sums.h"

#include <algorithm>

#include "base/threads/parallel.h"
#include "tensor/dispatch.h"

namespace attune {

Tensor column_sums(const Tensor& x, const Tensor& buffer) {
  const Tensor total = buffer ? buffer : Tensor::zeros({x.columns()}, x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    const int64_t grain = 64 + 65536 / std::max<int64_t>(x.rows(), 1);
    parallel_for(x.columns(), grain, [&](int64_t begin, int64_t end) {
      T* to = total.data<T>();
      const int64_t rows = x.rows(), stride = x.row_stride();
      const T* row = x.data<T>();
      int64_t r = 0;
      for (; r + 4 <= rows; r += 4, row += 4 * stride)
        for (int64_t c = begin; c < end; ++c)
          to[c] += (row[c] + row[stride + c]) + (row[2 * stride + c] + row[3 * stride + c]);
      for (; r < rows; ++r, row += stride)
        for (int64_t c = begin; c < end; ++c) to[c] += row[c];
    });
  });
  return buffer ? Tensor() : total;
}

}  // namespace attune
