// Kingma and Ba 2015, with decoupled weight decay (Loshchilov and Hutter 2019), over flat buffers:
//   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
//   p = p - lr (m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps) + decay p)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/adam.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>

#include "ops/adam.h"
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

void Update(const AdamFactors<float>& f, float* HWY_RESTRICT p, const float* HWY_RESTRICT g,
            float* HWY_RESTRICT m, float* HWY_RESTRICT v, size_t n) {
  ForEachVector(n, [&](size_t i, size_t l) {
    const V32 gradient = hn::Mul(Load(g + i, l), Constant(f.gradient_scale));
    const V32 first = AddProduct(Load(m + i, l), Constant(f.beta1), hn::Mul(gradient, Constant(f.rest1)));
    const V32 second = AddProduct(Load(v + i, l), Constant(f.beta2),
                                  hn::Mul(hn::Mul(gradient, gradient), Constant(f.rest2)));
    const V32 root = AddProduct(hn::Sqrt(second), Constant(f.root_scale), Constant(f.eps));
    const V32 decayed = hn::Mul(Load(p + i, l), Constant(f.keep));
    Store(hn::NegMulAdd(Constant(f.rate), hn::Div(first, root), decayed), p + i, l);
    Store(first, m + i, l);
    Store(second, v + i, l);
  });
}

float SquaredNorm(const float* HWY_RESTRICT x, size_t n) {
  const F32 d;
  const size_t lanes = hn::Lanes(d);
  V32 total[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes)
    for (size_t k = 0; k < 4; ++k) {
      const V32 v = hn::LoadU(d, x + i + k * lanes);
      total[k] = AddProduct(v, v, total[k]);
    }
  ForEachVector(n - i, [&](size_t j, size_t l) {
    const V32 v = Load(x + i + j, l);
    total[0] = AddProduct(v, v, total[0]);
  });
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(total[0], total[1]), hn::Add(total[2], total[3]))));
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <vector>

#include "attune/ops.h"
#include "base/threads/parallel.h"
#include "ops/kernels.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

HWY_EXPORT(Update);
HWY_EXPORT(SquaredNorm);

template <class T>
void update_reference(const AdamFactors<T>& f, T* p, const T* g, T* m, T* v, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const T gradient = g[i] * f.gradient_scale;
    m[i] = f.beta1 * m[i] + f.rest1 * gradient;
    v[i] = f.beta2 * v[i] + f.rest2 * gradient * gradient;
    p[i] = f.keep * p[i] - f.rate * m[i] / (std::sqrt(v[i]) * f.root_scale + f.eps);
  }
}

template <class T>
AdamFactors<T> factors_of(const AdamStep& s) {
  const double t = static_cast<double>(s.step);
  return {.gradient_scale = static_cast<T>(s.gradient_scale),
          .beta1 = static_cast<T>(s.beta1),
          .rest1 = static_cast<T>(1 - s.beta1),
          .beta2 = static_cast<T>(s.beta2),
          .rest2 = static_cast<T>(1 - s.beta2),
          .root_scale = static_cast<T>(1 / std::sqrt(1 - std::pow(s.beta2, t))),
          .eps = static_cast<T>(s.eps),
          .rate = static_cast<T>(s.learning_rate / (1 - std::pow(s.beta1, t))),
          .keep = static_cast<T>(1 - s.learning_rate * s.weight_decay)};
}

template <class T>
double squared_norm_reference(const T* x, size_t n) {
  double total = 0;
  for (size_t i = 0; i < n; ++i) total += static_cast<double>(x[i]) * x[i];
  return total;
}

void update_fast(const AdamFactors<float>& f, float* p, const float* g, float* m, float* v, size_t n) {
  HWY_DYNAMIC_DISPATCH(Update)(f, p, g, m, v, n);
}
double squared_norm_fast(const float* x, size_t n) { return HWY_DYNAMIC_DISPATCH(SquaredNorm)(x, n); }

template <class T>
constexpr Kernels<void(const AdamFactors<T>&, T*, const T*, T*, T*, size_t)> update_kernels{
    f32_only<T>(update_fast), update_reference<T>};
template <class T>
constexpr Kernels<double(const T*, size_t)> squared_norm_kernels{f32_only<T>(squared_norm_fast),
                                                                 squared_norm_reference<T>};

}  // namespace

// Blocks of fixed size, added in order: the result does not depend on the number of threads.
double squared_norm(const Tensor& x) {
  constexpr int64_t kBlock = 1 << 14;
  check_float("squared_norm", {&x});
  const Tensor flat = packed(x);
  const int64_t n = flat.size();
  std::vector<double> parts(static_cast<size_t>((n + kBlock - 1) / kBlock));
  dispatch(flat.dtype(), [&]<class T>() {
    parallel_for(static_cast<int64_t>(parts.size()), 4, [&](int64_t first, int64_t last) {
      for (int64_t block = first; block < last; ++block)
        parts[static_cast<size_t>(block)] = squared_norm_kernels<T>(
            flat.data<T>() + block * kBlock, static_cast<size_t>(std::min(kBlock, n - block * kBlock)));
    });
  });
  double total = 0;
  for (const double part : parts) total += part;
  return total;
}

void adam(const Tensor& values, const Tensor& gradients, const Tensor& first, const Tensor& second,
          const AdamStep& step) {
  check_float("adam", {&values, &gradients, &first, &second});
  check_rank("adam", "the values", values, 1);
  check_shape("adam", "the gradients", gradients, values.shape());
  check_shape("adam", "the first moment", first, values.shape());
  check_shape("adam", "the second moment", second, values.shape());
  check(step.step >= 1, "adam: steps are counted from 1, but {} was given", step.step);
  dispatch(values.dtype(), [&]<class T>() {
    const auto factors = factors_of<T>(step);
    parallel_for(values.size(), 1 << 14, [&](int64_t begin, int64_t end) {
      update_kernels<T>(factors, values.data<T>() + begin, gradients.data<T>() + begin,
                        first.data<T>() + begin, second.data<T>() + begin, static_cast<size_t>(end - begin));
    });
  });
}

}  // namespace attune
#endif  // HWY_ONCE
