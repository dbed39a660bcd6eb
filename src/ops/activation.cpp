#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation.cpp"
#include <hwy/foreach_target.h>

#include "ops/activation.h"
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
    return hn::MulAdd(Erf(hn::Mul(x, Constant(0.70710678f))), half, half);
  }
  static V32 value(V32 x) { return hn::Mul(x, normal(x)); }
  static V32 slope(V32 x) {
    const V32 density =
        hn::Mul(ExpOfNegative(hn::Mul(hn::Mul(x, x), Constant(-0.5f))), Constant(0.39894228f));
    return hn::MulAdd(x, density, normal(x));
  }
};

struct Silu {
  static V32 value(V32 x) { return hn::Mul(x, Sigmoid(x)); }
  static V32 slope(V32 x) {
    const V32 s = Sigmoid(x);
    return hn::Mul(s, hn::MulAdd(x, hn::Sub(Constant(1.f), s), Constant(1.f)));
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

void ActivateGradientRow(Activation activation, const float* kept, const float* dy, float* dx, size_t n) {
  WithActivation(activation, [&](auto f) {
    ForEachVector(n, [&](size_t i, size_t l) {
      Store(hn::Mul(Load(dy + i, l), f.slope(Load(kept + i, l))), dx + i, l);
    });
  });
}

}  // namespace
}  // namespace attune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "base/parallel.h"
#include "ops/kernels.h"
#include "tensor/dispatch.h"

namespace attune {

HWY_EXPORT(ActivateRow);
HWY_EXPORT(ActivateGradientRow);

std::string_view name(Activation activation) {
  switch (activation) {
    case Activation::none: return "none";
    case Activation::relu: return "relu";
    case Activation::gelu: return "gelu";
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

Tensor activation_backward(Activation activation, const Tensor& kept, const Tensor& dy) {
  if (activation == Activation::none) return dy;
  Tensor dx(dy.shape(), dy.dtype());
  if (dy.dtype() == DType::f32 && !reference_kernels()) {
    parallel_for(dy.size(), 8192, [&](int64_t begin, int64_t end) {
      HWY_DYNAMIC_DISPATCH(ActivateGradientRow)
      (activation, kept.data<float>() + begin, dy.data<float>() + begin, dx.data<float>() + begin,
       static_cast<size_t>(end - begin));
    });
    return dx;
  }
  dispatch(dy.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < dy.size(); ++i)
      dx.data<T>()[i] = dy.data<T>()[i] * activation_slope(activation, kept.data<T>()[i]);
  });
  return dx;
}

}  // namespace attune
#endif  // HWY_ONCE
