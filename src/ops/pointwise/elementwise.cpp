// Sums, products and activations, element by element; the sum of all elements.
#include <algorithm>
#include <vector>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "base/threads/parallel.h"
#include "ops/kernels.h"
#include "ops/pointwise/activation.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

int64_t grain(const Tensor& x) { return 1 + 16384 / std::max<int64_t>(x.columns(), 1); }

// y_rc = f(a_rc, b_rc); a `b` of one row stands for all rows.
template <class F>
Tensor zip(const Tensor& a, const Tensor& b, const F& f) {
  Tensor y(a.shape(), a.dtype());
  const bool broadcast = a.shape() != b.shape();
  const int64_t n = a.columns();
  dispatch(a.dtype(), [&]<class T>() {
    parallel_for(a.rows(), grain(a), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T *x1 = row_of<T>(a, r), *x2 = row_of<T>(b, broadcast ? 0 : r);
        T* to = row_of<T>(y, r);
        for (int64_t c = 0; c < n; ++c) to[c] = f(x1[c], x2[c]);
      }
    });
  });
  return y;
}

void check_pair(std::string_view op, const Tensor& a, const Tensor& b) {
  check_float(op, {&a, &b});
  check(a.defined() && b.defined(), "{}: it was given an undefined tensor", op);
  check(a.shape() == b.shape() || (b.shape().rank() == 1 && b.columns() == a.columns()),
        "{}: the shapes {} and {} differ; the second may also be one row [{}]", op, a.shape(), b.shape(),
        a.columns());
}

// The gradient of an operand that may have been one row for all.
Tensor fold_rows(const Tensor& gradient, const Shape& shape) {
  if (gradient.shape() == shape) return gradient;
  Tensor total = Tensor::zeros(shape, gradient.dtype());
  dispatch(gradient.dtype(), [&]<class T>() {
    const int64_t rows = gradient.rows(), n = gradient.columns();
    T* to = total.data<T>();
    for (int64_t r = 0; r < rows; ++r) {
      const T* from = row_of<T>(gradient, r);
      for (int64_t c = 0; c < n; ++c) to[c] += from[c];
    }
  });
  return total;
}

constexpr auto plus = [](auto x, auto y) { return x + y; };
constexpr auto times = [](auto x, auto y) { return x * y; };

void activate_reference(Activation f, const Tensor& x, const Tensor& y) {
  dispatch(x.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < x.size(); ++i) y.data<T>()[i] = activation_value(f, x.data<T>()[i]);
  });
}

void activate_fast(Activation f, const Tensor& x, const Tensor& y) {
  parallel_for(x.size(), 8192, [&](int64_t begin, int64_t end) {
    activate_row(f, x.data<float>() + begin, nullptr, nullptr, y.data<float>() + begin, end - begin);
  });
}

bool is_f32(Activation, const Tensor& x, const Tensor&) { return x.dtype() == DType::f32; }

constexpr Kernels<void(Activation, const Tensor&, const Tensor&)> activate_kernels{{activate_fast, is_f32},
                                                                                   activate_reference};

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) {
  check_pair("add", a, b);
  Tensor y = zip(a, b, plus);
  if (recording(a, b))
    record("add", y, {a, b}, [shape = b.shape()](const Tensor& dy) {
      return Grads{dy, fold_rows(dy, shape)};
    });
  return y;
}

Tensor mul(const Tensor& a, const Tensor& b) {
  check_pair("mul", a, b);
  Tensor y = zip(a, b, times);
  if (recording(a, b))
    record("mul", y, {a, b}, [a = a.detach(), b = b.detach()](const Tensor& dy) {
      return Grads{zip(dy, b, times), fold_rows(zip(dy, a, times), b.shape())};
    });
  return y;
}

Tensor scale(const Tensor& x, double factor) {
  check_float("scale", {&x});
  const auto scaled = [factor](const Tensor& t) {
    return zip(t, t, [factor](auto v, auto) { return static_cast<decltype(v)>(v * factor); });
  };
  Tensor y = scaled(x);
  if (recording(x)) record("scale", y, {x}, [scaled](const Tensor& dy) { return Grads{scaled(dy)}; });
  return y;
}

Tensor activate(const Tensor& x, Activation activation) {
  check_float("activate", {&x});
  const Tensor input = packed(x);
  Tensor y(x.shape(), x.dtype());
  activate_kernels(activation, input, y);
  if (recording(x))
    record("activate", y, {x},
           [activation, kept = slope_needs_input(activation) ? input : y.detach()](const Tensor& dy) {
             Tensor dx(dy.shape(), dy.dtype());
             activation_backward(activation, kept, dy, dx);
             return Grads{dx};
           });
  return y;
}

Tensor sum(const Tensor& x) {
  check_float("sum", {&x});
  Tensor y({}, x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    double total = 0;
    for (int64_t r = 0; r < x.rows(); ++r)
      for (int64_t c = 0; c < x.columns(); ++c) total += row_of<T>(x, r)[c];
    *y.data<T>() = static_cast<T>(total);
  });
  if (recording(x))
    record("sum", y, {x}, [shape = x.shape(), dtype = x.dtype()](const Tensor& dy) {
      return Grads{Tensor::full(shape, dy.item(), dtype)};
    });
  return y;
}

}  // namespace attune
