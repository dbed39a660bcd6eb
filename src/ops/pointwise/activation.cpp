#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/activation.cpp"
#include <hwy/foreach_target.h>

#include "ops/pointwise/activation.h"
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attune::HWY_NAMESPACE {
namespace {

struct None {
  static V32 value(V32 x) { return x; }
  static V32 slope(V32) { return Constant(1.f); }
};

struct Relu {
  static V32 value(V32 x) { return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(F32())), x); }
  static V32 slope(V32 y) { return hn::IfThenElseZero(hn::Gt(y, hn::Zero(F32())), Constant(1.f)); }
};

struct Gelu {
  static V32 normal(V32 x) {  // the normal distribution function
    const V32 half = Constant(0.5f);
    return AddProduct(Erf(hn::Mul(x, Constant(0.70710678f))), half, half);
  }
  static V32 value(V32 x) { return hn::Mul(x, normal(x)); }
  static V32 slope(V32 x) {
    const V32 density =
        hn::Mul(ExpOfNegative(hn::Mul(hn::Mul(x, x), Constant(-0.5f))), Constant(0.39894228f));
    return AddProduct(x, density, normal(x));
  }
};

struct GeluTanh {
  static V32 sigmoid(V32 x, V32 square) {  // of 2u
    const V32 curve = AddProduct(square, Constant(static_cast<float>(kGeluTanhCube)), Constant(1.f));
    return Sigmoid(hn::Mul(hn::Mul(x, Constant(static_cast<float>(2 * kGeluTanhScale))), curve));
  }
  static V32 value(V32 x) { return hn::Mul(x, sigmoid(x, hn::Mul(x, x))); }
  static V32 slope(V32 x) {
    const V32 square = hn::Mul(x, x), s = sigmoid(x, square), one = Constant(1.f);
    const V32 curve = AddProduct(square, Constant(static_cast<float>(3 * kGeluTanhCube)), one);
    const V32 steep = hn::Mul(hn::Mul(x, Constant(static_cast<float>(2 * kGeluTanhScale))),
                              hn::Mul(hn::Sub(one, s), curve));
    return hn::Mul(s, hn::Add(one, steep));
  }
};

struct Silu {
  static V32 value(V32 x) { return hn::Mul(x, Sigmoid(x)); }
  static V32 slope(V32 x) {
    const V32 s = Sigmoid(x);
    return hn::Mul(s, AddProduct(x, hn::Sub(Constant(1.f), s), Constant(1.f)));
  }
};

struct TanH {
  static V32 value(V32 x) { return Tanh(x); }
  static V32 slope(V32 y) { return hn::NegMulAdd(y, y, Constant(1.f)); }
};

struct Logistic {
  static V32 value(V32 x) { return Sigmoid(x); }
  static V32 slope(V32 y) { return hn::NegMulAdd(y, y, y); }
};

template <class Body>
void WithActivation(Activation activation, const Body& body) {
  switch (activation) {
    case Activation::none: return body(None());
    case Activation::relu: return body(Relu());
    case Activation::gelu: return body(Gelu());
    case Activation::gelu_tanh: return body(GeluTanh());
    case Activation::silu: return body(Silu());
    case Activation::tanh: return body(TanH());
    case Activation::sigmoid: return body(Logistic());
  }
}

void ActivateRow(Activation activation, const float* x, const float* bias, float* kept, float* y, size_t n) {
  WithActivation(activation, [&](auto f) {
    ForEachVector(n, [&](size_t i, size_t l) {
      V32 v = Load(x + i, l);
      if (bias != nullptr) v = hn::Add(v, Load(bias + i, l));
      if (kept != nullptr) Store(v, kept + i, l);
      Store(f.value(v), y + i, l);
    });
  });
}

void ActivateGradientRow(Activation activation, const float* kept, const float* dy, float* dx, float* sums,
                         size_t n) {
  WithActivation(activation, [&](auto f) {
    ForEachVector(n, [&](size_t i, size_t l) {
      const V32 v = hn::Mul(Load(dy + i, l), f.slope(Load(kept + i, l)));
      Store(v, dx + i, l);
      if (sums != nullptr) Store(hn::Add(Load(sums + i, l), v), sums + i, l);
    });
  });
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "base/threads/parallel.h"
#include "ops/kernels.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {

HWY_EXPORT(ActivateRow);
HWY_EXPORT(ActivateGradientRow);

std::string_view name(Activation activation) {
  switch (activation) {
    case Activation::none: return "none";
    case Activation::relu: return "relu";
    case Activation::gelu: return "gelu";
    case Activation::gelu_tanh: return "gelu_tanh";
    case Activation::silu: return "silu";
    case Activation::tanh: return "tanh";
    case Activation::sigmoid: return "sigmoid";
  }
  return "unknown";
}

void activate_row(Activation activation, const float* x, const float* bias, float* kept, float* y,
                  int64_t n) {
  HWY_DYNAMIC_DISPATCH(ActivateRow)(activation, x, bias, kept, y, static_cast<size_t>(n));
}

namespace {

void gradient_row_fast(Activation activation, const float* kept, const float* dy, float* dx, float* sums,
                       int64_t n) {
  HWY_DYNAMIC_DISPATCH(ActivateGradientRow)(activation, kept, dy, dx, sums, static_cast<size_t>(n));
}

template <class T>
void gradient_row_reference(Activation activation, const T* kept, const T* dy, T* dx, T* sums, int64_t n) {
  for (int64_t c = 0; c < n; ++c) {
    dx[c] = dy[c] * activation_slope(activation, kept[c]);
    if (sums != nullptr) sums[c] += dx[c];
  }
}

template <class T>
constexpr Kernels<void(Activation, const T*, const T*, T*, T*, int64_t)> gradient_rows{
    f32_only<T>(gradient_row_fast), gradient_row_reference<T>};

}  // namespace

// With sums, a thread takes some columns of all rows, otherwise some rows.
void activation_backward(Activation activation, const Tensor& kept, const Tensor& dy, const Tensor& dx,
                         const Tensor& sums) {
  constexpr int64_t kWorthAThread = 8192;
  const int64_t rows = dy.rows(), columns = dy.columns();
  dispatch(dy.dtype(), [&]<class T>() {
    const auto gradient_row = gradient_rows<T>.chosen();
    const auto block = [&](int64_t first, int64_t last, int64_t begin, int64_t end) {
      for (int64_t r = first; r < last; ++r)
        gradient_row(activation, row_of<T>(kept, r) + begin, row_of<T>(dy, r) + begin,
                     row_of<T>(dx, r) + begin, sums ? sums.data<T>() + begin : nullptr, end - begin);
    };
    if (sums)
      parallel_for(columns, 64 + kWorthAThread / std::max<int64_t>(rows, 1),
                   [&](int64_t begin, int64_t end) { block(0, rows, begin, end); });
    else
      parallel_for(rows, 1 + kWorthAThread / std::max<int64_t>(columns, 1),
                   [&](int64_t first, int64_t last) { block(first, last, 0, columns); });
  });
}

}  // namespace attune
#endif  // HWY_ONCE
