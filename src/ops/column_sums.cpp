#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/column_sums.cpp"
#include <hwy/foreach_target.h>

#include "ops/column_sums.h"
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

// to[n] += the sums over the rows of x, four rows at a time.
void AddColumns(const float* x, size_t rows, size_t stride, size_t n, float* HWY_RESTRICT to) {
  size_t r = 0;
  for (; r + 4 <= rows; r += 4, x += 4 * stride)
    ForEachVector(n, [&](size_t c, size_t l) {
      const auto row = [&](size_t i) { return Load(x + i * stride + c, l); };
      const V32 four = hn::Add(hn::Add(row(0), row(1)), hn::Add(row(2), row(3)));
      Store(hn::Add(Load(to + c, l), four), to + c, l);
    });
  for (; r < rows; ++r, x += stride)
    ForEachVector(n, [&](size_t c, size_t l) { Store(hn::Add(Load(to + c, l), Load(x + c, l)), to + c, l); });
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

#include "base/threads/parallel.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

HWY_EXPORT(AddColumns);

// Columns [begin, end).
void add_columns(const Tensor& x, int64_t begin, int64_t end, float* to) {
  HWY_DYNAMIC_DISPATCH(AddColumns)
  (x.data<float>() + begin, static_cast<size_t>(x.rows()), static_cast<size_t>(x.row_stride()),
   static_cast<size_t>(end - begin), to + begin);
}
void add_columns(const Tensor& x, int64_t begin, int64_t end, double* to) {
  for (int64_t r = 0; r < x.rows(); ++r)
    for (int64_t c = begin; c < end; ++c) to[c] += x.data<double>()[r * x.row_stride() + c];
}

}  // namespace

Tensor column_sums(const Tensor& x, const Tensor& buffer) {
  const Tensor total = buffer ? buffer : Tensor::zeros({x.columns()}, x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    const int64_t grain = 64 + 65536 / std::max<int64_t>(x.rows(), 1);
    parallel_for(x.columns(), grain,
                 [&](int64_t begin, int64_t end) { add_columns(x, begin, end, total.data<T>()); });
  });
  return buffer ? Tensor() : total;
}

}  // namespace attune
#endif  // HWY_ONCE
