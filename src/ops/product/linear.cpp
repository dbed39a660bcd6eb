// y = f(x W^T + b) for every row x; f is an activation or the identity.
#include <algorithm>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "base/threads/parallel.h"
#include "ops/column_sums.h"
#include "ops/kernels.h"
#include "ops/pointwise/activation.h"
#include "ops/product/gemm.h"
#include "ops/product/linear_form.h"
#include "ops/shapes.h"
#include "ops/sink.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

bool is_f32(const Tensor& x, const Tensor&, const Tensor&, Activation, const LinearResult&) {
  return x.dtype() == DType::f32;
}

// Packing the weights pays off when enough rows share them.
bool many_rows(const Tensor& x, const Tensor& w, const Tensor& b, Activation f, const LinearResult& result) {
  return is_f32(x, w, b, f, result) && x.rows() >= 96;
}

void linear_packed(const Tensor& x, const Tensor& w, const Tensor& bias, Activation activation,
                   const LinearResult& result) {
  linear_by_form(x, *form_of(w), bias, activation, result);
}

void linear_gemm(const Tensor& x, const Tensor& w, const Tensor& bias, Activation activation,
                 const LinearResult& result) {
  const int64_t k = w.columns(), n = w.rows();
  gemm(x.rows(), n, k, {x.data<float>(), x.row_stride()}, {w.data<float>(), w.row_stride(), true},
       {result.y.data<float>(), n});
  parallel_for(x.rows(), 1 + 16384 / std::max<int64_t>(n, 1), [&](int64_t begin, int64_t end) {
    finish_rows(result, bias, activation, begin, end, {0, n});
  });
}

void linear_reference(const Tensor& x, const Tensor& w, const Tensor& bias, Activation activation,
                      const LinearResult& result) {
  dispatch(x.dtype(), [&]<class T>() {
    const int64_t k = w.columns(), n = w.rows();
    T* y = result.y.data<T>();
    gemm(x.rows(), n, k, {x.data<T>(), x.row_stride()}, {w.data<T>(), w.row_stride(), true}, {y, n});
    for (int64_t i = 0; i < x.rows() * n; ++i) {
      const T z = y[i] + (bias ? bias.data<T>()[i % n] : T{0});
      if (result.kept) result.kept.data<T>()[i] = z;
      y[i] = activation_value(activation, z);
    }
  });
}

constexpr Kernels<void(const Tensor&, const Tensor&, const Tensor&, Activation, const LinearResult&)>
    linear_kernels{{linear_packed, many_rows}, {linear_gemm, is_f32}, linear_reference};

// What the activation's slope needs, in f32: nothing for the identity, otherwise its input or result.
Tensor kept_for_slope(Activation activation, const LinearResult& result) {
  if (activation == Activation::none) return {};
  return result.kept ? result.kept : result.y.detach();
}

// The gradient of x W^T + b from that of y, [rows, out]; its column sums are added to db unless that is
// undefined. If it is going to be `rounded`, it may share dy's memory in any case.
Tensor sum_gradient(Activation activation, const Tensor& kept, const Tensor& dy, const Tensor& db,
                    bool rounds) {
  constexpr int64_t kCloseSets = 256;  // rows a multiple of this many numbers apart share cache sets
  if (activation == Activation::none && (rounds || dy.row_stride() % kCloseSets != 0)) {
    if (db) column_sums(dy, db);
    return dy;
  }
  Tensor dz = rows_apart(dy.rows(), dy.columns(), dy.dtype());
  activation_backward(activation, kept ? kept : dy, dy, dz, db);
  return dz;
}

// dW += dz^T x
void add_weight_gradient(const Tensor& dz, const Tensor& x, const Tensor& dw) {
  if (dz.dtype() == DType::bf16)
    return bf16_gemm(dz.columns(), x.columns(), dz.rows(), matrix_of<BFloat16>(dz, 0, true),
                     matrix_of<BFloat16>(x, 0), {dw.data<float>(), dw.columns()}, true);
  dispatch(dz.dtype(), [&]<class T>() {
    gemm(dz.columns(), x.columns(), dz.rows(), {dz.data<T>(), dz.row_stride(), true},
         {x.data<T>(), x.columns()}, {dw.data<T>(), dw.columns()}, T{1}, T{1});
  });
}

// dx = dz W
Tensor input_gradient(const Tensor& dz, const Tensor& w, const Shape& shape) {
  Tensor dx(shape, w.dtype());
  if (dz.dtype() == DType::bf16) {
    Bf16Matrix(w.rows(), w.columns(), matrix_of<float>(w, 0))
        .multiply_rounded(dz, {dx.data<float>(), w.columns()}, false);
    return dx;
  }
  dispatch(dz.dtype(), [&]<class T>() {
    gemm(dz.rows(), w.columns(), w.rows(), {dz.data<T>(), dz.row_stride()}, {w.data<T>(), w.columns()},
         {dx.data<T>(), w.columns()});
  });
  return dx;
}

// Nobody changes what an operation has made.
bool is_made(const Tensor& x) { return x.node() && !x.node()->leaf_gradient; }

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation) {
  check_float("linear", {&x, &bias}, {&weight});
  check_rank("linear", "the weight", weight, 2);
  const int64_t in = weight.shape()[1], out = weight.shape()[0];
  check(x.defined() && x.shape().rank() >= 1 && x.columns() == in,
        "linear: the shape of x is {}, but the weight {} needs rows of {}", x.shape(), weight.shape(), in);
  if (bias) check_shape("linear", "the bias", bias, {out});
  Tensor input = packed(x);
  const Tensor b = bias ? packed(bias) : Tensor();
  Tensor y(x.shape().with_columns(out), x.dtype());
  const bool record_it = recording(x, weight, bias);
  LinearResult result{y,
                      record_it && slope_needs_input(activation) ? Tensor(y.shape(), y.dtype()) : Tensor()};
  if (const auto form = record_it ? nullptr : kept_form(weight)) {
    linear_by_form(input, *form, b, activation, result);
    return y;
  }
  const Tensor w = packed(weight);
  const bool rounds = precision_of(w) == Precision::bf16 && !reference_kernels();
  if (rounds) {
    input = is_made(x) ? shared_rounded(input) : rounded(input);  // and kept so for the gradients
    linear_of_rounded(input, Bf16Matrix(in, out, matrix_of<float>(w, 0, true)), b, activation, result);
  } else {
    linear_kernels(input, w, b, activation, result);
  }
  if (!record_it) return y;
  if (rounds) set_precision(y, Precision::bf16);
  Tensor kept = kept_for_slope(activation, result);
  if (rounds && kept) kept = shared_rounded(kept);
  record("linear", y, {x, weight, bias},
         [input, w, activation, rounds, shape = x.shape(), kept, x_needs = x.node() != nullptr,
          of_weight = Sink(weight), of_bias = Sink(bias)](const Tensor& dy) {
           const Tensor dw = of_weight.open(dy.dtype()), db = of_bias.open(dy.dtype());
           Tensor dz = sum_gradient(activation, rounds && kept ? in_f32(kept) : kept, dy, db, rounds);
           if (rounds) dz = rounded(dz);
           if (dw) add_weight_gradient(dz, input, dw);
           return Grads{x_needs ? input_gradient(dz, w, shape) : Tensor(), of_weight.returned(dw),
                        of_bias.returned(db)};
         });
  return y;
}

}  // namespace attune
