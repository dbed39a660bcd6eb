#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/choosing.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <hwy/contrib/math/math-inl.h>
#include "ops/choosing.h"
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

float LogOfSum(const float* HWY_RESTRICT x, size_t n) {
  const F32 d;
  V32 most = hn::Set(d, -std::numeric_limits<float>::infinity());
  ForEachVector(n, [&](size_t i, size_t lanes) {
    most = hn::Max(most, hn::IfThenElse(hn::FirstN(d, lanes), Load(x + i, lanes), most));
  });
  const V32 max = hn::MaxOfLanes(d, most);
  V32 total = hn::Zero(d);
  ForEachVector(n, [&](size_t i, size_t lanes) {
    const V32 e = ExpOfNegative(hn::Sub(Load(x + i, lanes), max));
    total = hn::Add(total, hn::IfThenElseZero(hn::FirstN(d, lanes), e));
  });
  return hn::GetLane(max) + std::log(hn::GetLane(hn::SumOfLanes(d, total)));
}

// y = m + log sum_m w_m exp(l_m - m),  l_m = x_m - shift_m,  m = max_m l_m:  one model, or several equal
// ones, give exactly their own bits.
void LogOfMixture(const float* const* x, const float* shift, const float* weight, size_t models,
                  float* HWY_RESTRICT y, size_t n) {
  const F32 d;
  ForEachVector(n, [&](size_t i, size_t lanes) {
    const auto log_p = [&](size_t m) { return hn::Sub(Load(x[m] + i, lanes), Constant(shift[m])); };
    V32 most = log_p(0), total = hn::Zero(d);
    for (size_t m = 1; m < models; ++m) most = hn::Max(most, log_p(m));
    for (size_t m = 0; m < models; ++m)
      total = AddProduct(Constant(weight[m]), ExpOfNegative(hn::Sub(log_p(m), most)), total);
    const auto nothing = hn::Eq(most, hn::Neg(hn::Inf(d)));
    Store(hn::IfThenElse(nothing, most, hn::Add(most, hn::Log(d, total))), y + i, lanes);
  });
}

// Numbers above the least of those chosen so far are rare: a vector is examined only if it has one.
void Largest(const float* HWY_RESTRICT x, size_t n, size_t k, std::vector<Chosen<float>>& heap) {
  const F32 d;
  V32 least = hn::Neg(hn::Inf(d));
  const auto look = [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) offer({x[i], static_cast<int32_t>(i)}, k, heap);
    if (heap.size() == k) least = hn::Set(d, heap.front().value);
  };
  size_t i = std::min(n, k);
  look(0, i);
  const size_t lanes = hn::Lanes(d);
  for (; i + lanes <= n; i += lanes)
    if (!hn::AllFalse(d, hn::Gt(hn::LoadU(d, x + i), least))) look(i, i + lanes);
  look(i, n);
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "attune/ops.h"
#include "base/threads/parallel.h"
#include "ops/kernels.h"
#include "ops/shapes.h"
#include "ops/softmax.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

HWY_EXPORT(LogOfSum);
HWY_EXPORT(LogOfMixture);
HWY_EXPORT(Largest);

void for_rows(const Tensor& x, RangeBody body) {
  parallel_for(x.rows(), 1 + 16384 / std::max<int64_t>(x.columns(), 1), body);
}

float log_of_sum_fast(const float* x, size_t n) { return HWY_DYNAMIC_DISPATCH(LogOfSum)(x, n); }

template <class T>
constexpr Kernels<T(const T*, size_t)> log_of_sum_rows{f32_only<T>(log_of_sum_fast), logarithm_of_sum<T>};

void log_of_mixture_fast(const float* const* x, const float* shift, const float* weight, size_t models,
                         float* y, size_t n) {
  HWY_DYNAMIC_DISPATCH(LogOfMixture)(x, shift, weight, models, y, n);
}

template <class T>
void log_of_mixture_reference(const T* const* x, const T* shift, const T* weight, size_t models, T* y,
                              size_t n) {
  for (size_t i = 0; i < n; ++i) {
    T most = x[0][i] - shift[0], total = 0;
    for (size_t m = 1; m < models; ++m) most = std::max(most, x[m][i] - shift[m]);
    for (size_t m = 0; m < models; ++m) total += weight[m] * std::exp(x[m][i] - shift[m] - most);
    y[i] = std::isinf(most) ? most : most + std::log(total);
  }
}

template <class T>
constexpr Kernels<void(const T* const*, const T*, const T*, size_t, T*, size_t)> log_of_mixture_rows{
    f32_only<T>(log_of_mixture_fast), log_of_mixture_reference<T>};

void largest_fast(const float* x, size_t n, size_t k, std::vector<Chosen<float>>& heap) {
  HWY_DYNAMIC_DISPATCH(Largest)(x, n, k, heap);
}

template <class T>
void largest_reference(const T* x, size_t n, size_t k, std::vector<Chosen<T>>& heap) {
  for (size_t i = 0; i < n; ++i) offer({x[i], static_cast<int32_t>(i)}, k, heap);
}

template <class T>
constexpr Kernels<void(const T*, size_t, size_t, std::vector<Chosen<T>>&)> largest_kernels{
    f32_only<T>(largest_fast), largest_reference<T>};

}  // namespace

Tensor log_of_sums(const Tensor& x) {
  check_float("log_of_sums", {&x});
  const Tensor y({x.rows()}, x.dtype());
  const auto n = static_cast<size_t>(x.columns());
  dispatch(x.dtype(), [&]<class T>() {
    for_rows(x, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) y.data<T>()[r] = log_of_sum_rows<T>(row_of<T>(x, r), n);
    });
  });
  return y;
}

Tensor log_of_mixture(std::span<const Tensor> x, std::span<const double> weights) {
  check(!x.empty() && x.size() == weights.size(), "log_of_mixture: {} tensors were given, but {} weights",
        x.size(), weights.size());
  std::vector<Tensor> shifts;
  for (const Tensor& one : x) {
    check_float("log_of_mixture", {&one, &x[0]});
    check_shape("log_of_mixture", "a tensor", one, x[0].shape());
    shifts.push_back(log_of_sums(one));
  }
  const Tensor y(x[0].shape(), x[0].dtype());
  const auto n = static_cast<size_t>(y.columns());
  for_rows(y, [&](int64_t begin, int64_t end) {
    dispatch(y.dtype(), [&]<class T>() {
      const std::vector<T> weight(weights.begin(), weights.end());
      std::vector<const T*> rows(x.size());
      std::vector<T> shift(x.size());
      for (int64_t r = begin; r < end; ++r) {
        for (size_t m = 0; m < x.size(); ++m) {
          rows[m] = row_of<T>(x[m], r);
          shift[m] = shifts[m].data<T>()[r];
        }
        log_of_mixture_rows<T>(rows.data(), shift.data(), weight.data(), rows.size(), row_of<T>(y, r), n);
      }
    });
  });
  return y;
}

std::vector<int32_t> largest(const Tensor& x, int64_t k) {
  check(x.rows() == 1 && k > 0, "largest: one row and a positive number are needed, but {} and {} were given",
        x.shape(), k);
  return dispatch(x.dtype(), [&]<class T>() {
    const auto n = static_cast<size_t>(x.columns()), count = std::min(n, static_cast<size_t>(k));
    std::vector<Chosen<T>> heap;
    heap.reserve(count);
    largest_kernels<T>(x.data<T>(), n, count, heap);
    std::ranges::sort_heap(heap, before<T>);
    std::vector<int32_t> places;
    for (const auto& chosen : heap) places.push_back(chosen.place);
    return places;
  });
}

}  // namespace attune
#endif  // HWY_ONCE
