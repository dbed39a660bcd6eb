// softmax_j(x) = exp(x_j - m) / sum_k exp(x_k - m), m = max_k x_k, and its logarithm, over the last
// dimension.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/softmax.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

// One row; returns max and the sum of exp(x - max), and writes exp(x - max) to y. A row of -inf gives sum 0.
struct RowSum {
  float max, sum;
};
RowSum ExpRow(const float* HWY_RESTRICT x, float* HWY_RESTRICT y, size_t n) {
  const F32 d;
  V32 most = hn::Set(d, -std::numeric_limits<float>::infinity());
  bool nan = false;
  ForEachVector(n, [&](size_t i, size_t lanes) {
    const V32 v = hn::IfThenElse(hn::FirstN(d, lanes), Load(x + i, lanes), most);
    nan |= !hn::AllFalse(d, hn::IsNaN(v));
    most = hn::Max(most, v);
  });
  const float max = nan ? std::numeric_limits<float>::quiet_NaN() : hn::GetLane(hn::MaxOfLanes(d, most));
  if (max == -std::numeric_limits<float>::infinity()) {
    std::fill_n(y, n, 0.f);
    return {max, 0.f};
  }
  V32 total = hn::Zero(d);
  ForEachVector(n, [&](size_t i, size_t lanes) {
    const V32 e = Exp(hn::Sub(Load(x + i, lanes), hn::Set(d, max)));
    total = hn::Add(total, hn::IfThenElseZero(hn::FirstN(d, lanes), e));
    Store(e, y + i, lanes);
  });
  return {max, hn::GetLane(hn::SumOfLanes(d, total))};
}

void SoftmaxRow(const float* HWY_RESTRICT x, float* HWY_RESTRICT y, size_t n) {
  const RowSum row = ExpRow(x, y, n);
  if (row.sum == 0) return;
  const V32 factor = Constant(1.f / row.sum);
  ForEachVector(n, [&](size_t i, size_t lanes) { Store(hn::Mul(Load(y + i, lanes), factor), y + i, lanes); });
}

void LogSoftmaxRow(const float* HWY_RESTRICT x, float* HWY_RESTRICT y, size_t n) {
  const RowSum row = ExpRow(x, y, n);
  if (row.sum == 0) {
    std::fill_n(y, n, row.max);
    return;
  }
  const V32 shift = Constant(row.max + std::log(row.sum));
  ForEachVector(n, [&](size_t i, size_t lanes) { Store(hn::Sub(Load(x + i, lanes), shift), y + i, lanes); });
}

// dx = y (dy - sum_k dy_k y_k)
void SoftmaxGradientRow(const float* HWY_RESTRICT y, const float* dy, float* dx, size_t n) {
  V32 dot = hn::Zero(F32());
  ForEachVector(n, [&](size_t i, size_t l) { dot = AddProduct(Load(dy + i, l), Load(y + i, l), dot); });
  const V32 shift = hn::SumOfLanes(F32(), dot);
  ForEachVector(n, [&](size_t i, size_t l) {
    Store(hn::Mul(Load(y + i, l), hn::Sub(Load(dy + i, l), shift)), dx + i, l);
  });
}

// dx = dy - exp(y) sum_k dy_k
void LogSoftmaxGradientRow(const float* HWY_RESTRICT y, const float* dy, float* dx, size_t n) {
  V32 sum = hn::Zero(F32());
  ForEachVector(n, [&](size_t i, size_t l) { sum = hn::Add(sum, Load(dy + i, l)); });
  const V32 total = hn::SumOfLanes(F32(), sum);
  ForEachVector(n, [&](size_t i, size_t l) {
    Store(hn::NegMulAdd(Exp(Load(y + i, l)), total, Load(dy + i, l)), dx + i, l);
  });
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "attune/autograd.h"
#include "attune/ops.h"
#include "base/threads/parallel.h"
#include "ops/kernels.h"
#include "ops/shapes.h"
#include "ops/softmax.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

HWY_EXPORT(SoftmaxRow);
HWY_EXPORT(LogSoftmaxRow);
HWY_EXPORT(SoftmaxGradientRow);
HWY_EXPORT(LogSoftmaxGradientRow);

bool is_f32(const Tensor& x, const Tensor&) { return x.dtype() == DType::f32; }

// Calls body(x row, y row, columns) for all rows in parallel.
template <class T, class Body>
void for_rows(const Tensor& x, const Tensor& y, const Body& body) {
  const int64_t n = x.columns();
  parallel_for(x.rows(), 1 + 8192 / std::max<int64_t>(n, 1), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      body(x.data<T>() + r * n, y.data<T>() + r * n, static_cast<size_t>(n));
  });
}

void softmax_reference(const Tensor& x, const Tensor& y) {
  dispatch(x.dtype(), [&]<class T>() { for_rows<T>(x, y, softmax_row_reference<T>); });
}

void log_softmax_reference(const Tensor& x, const Tensor& y) {
  dispatch(x.dtype(), [&]<class T>() {
    for_rows<T>(x, y, [](const T* from, T* to, size_t n) {
      if (n == 0) return;
      const T l = logarithm_of_sum(from, n);
      for (size_t i = 0; i < n; ++i) to[i] = std::isinf(l) && l < 0 ? l : from[i] - l;
    });
  });
}

void softmax_fast(const Tensor& x, const Tensor& y) {
  for_rows<float>(x, y, HWY_DYNAMIC_DISPATCH(SoftmaxRow));
}
void log_softmax_fast(const Tensor& x, const Tensor& y) {
  for_rows<float>(x, y, HWY_DYNAMIC_DISPATCH(LogSoftmaxRow));
}

using Softmax = Kernels<void(const Tensor&, const Tensor&)>;
constexpr Softmax softmax_kernels{{softmax_fast, is_f32}, softmax_reference};
constexpr Softmax log_softmax_kernels{{log_softmax_fast, is_f32}, log_softmax_reference};

// dx = dy - exp(y) sum_k dy_k
template <class T>
void log_softmax_gradient_row(const T* y, const T* dy, T* dx, size_t n) {
  T total = 0;
  for (size_t i = 0; i < n; ++i) total += dy[i];
  for (size_t i = 0; i < n; ++i) dx[i] = dy[i] - std::exp(y[i]) * total;
}

void softmax_gradient_row_fast(const float* y, const float* dy, float* dx, size_t n) {
  HWY_DYNAMIC_DISPATCH(SoftmaxGradientRow)(y, dy, dx, n);
}
void log_softmax_gradient_row_fast(const float* y, const float* dy, float* dx, size_t n) {
  HWY_DYNAMIC_DISPATCH(LogSoftmaxGradientRow)(y, dy, dx, n);
}

template <class T>
using GradientRows = Kernels<void(const T*, const T*, T*, size_t)>;
template <class T>
constexpr GradientRows<T> softmax_gradient_rows{f32_only<T>(softmax_gradient_row_fast),
                                                softmax_gradient_row<T>};
template <class T>
constexpr GradientRows<T> log_softmax_gradient_rows{f32_only<T>(log_softmax_gradient_row_fast),
                                                    log_softmax_gradient_row<T>};

template <class T>
void backward_by_rows(const GradientRows<T>& rows, const Tensor& y, const Tensor& dy, const Tensor& dx) {
  const auto row = rows.chosen();
  for_rows<T>(y, dx,
              [&](const T* from, T* to, size_t n) { row(from, dy.data<T>() + (from - y.data<T>()), to, n); });
}

Tensor softmax_backward(const Tensor& y, const Tensor& dy) {
  Tensor dx(y.shape(), y.dtype());
  dispatch(y.dtype(), [&]<class T>() { backward_by_rows(softmax_gradient_rows<T>, y, dy, dx); });
  return dx;
}

Tensor log_softmax_backward(const Tensor& y, const Tensor& dy) {
  Tensor dx(y.shape(), y.dtype());
  dispatch(y.dtype(), [&]<class T>() { backward_by_rows(log_softmax_gradient_rows<T>, y, dy, dx); });
  return dx;
}

}  // namespace

void softmax_row(const float* x, float* y, size_t n) { HWY_DYNAMIC_DISPATCH(SoftmaxRow)(x, y, n); }

Tensor softmax(const Tensor& x) {
  check_float("softmax", {&x});
  Tensor y(x.shape(), x.dtype());
  softmax_kernels(packed(x), y);
  if (recording(x))
    record("softmax", y, {x},
           [y = y.detach()](const Tensor& dy) { return Grads{softmax_backward(y, packed(dy))}; });
  return y;
}

Tensor log_softmax(const Tensor& x) {
  check_float("log_softmax", {&x});
  Tensor y(x.shape(), x.dtype());
  log_softmax_kernels(packed(x), y);
  if (recording(x))
    record("log_softmax", y, {x},
           [y = y.detach()](const Tensor& dy) { return Grads{log_softmax_backward(y, packed(dy))}; });
  return y;
}

}  // namespace attune
#endif  // HWY_ONCE
