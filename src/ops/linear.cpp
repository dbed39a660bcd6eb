// y = f(x W^T + b) for every row x; f is an activation or nothing.
#include <algorithm>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "base/parallel.h"
#include "ops/activation.h"
#include "ops/column_sums.h"
#include "ops/gemm.h"
#include "ops/kernels.h"
#include "ops/packed_gemm.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

// Of y [rows, out] and, if its gradient needs it, the activation's input `kept` [rows, out].
struct Result {
  Tensor y, kept;
};

// f applied in place to rows [begin, end) of x W^T.
void finish_rows(const Result& result, const Tensor& bias, Activation activation, int64_t begin,
                 int64_t end) {
  if (!bias && activation == Activation::none) return;
  const int64_t n = result.y.columns();
  for (int64_t r = begin; r < end; ++r) {
    float* y = result.y.data<float>() + r * n;
    float* kept = result.kept ? result.kept.data<float>() + r * n : nullptr;
    activate_row(activation, y, bias ? bias.data<float>() : nullptr, kept, y, n);
  }
}

bool is_f32(const Tensor& x, const Tensor&, const Tensor&, Activation, const Result&) {
  return x.dtype() == DType::f32;
}

// Packing the weights pays when enough rows share them.
bool many_rows(const Tensor& x, const Tensor& w, const Tensor& b, Activation f, const Result& result) {
  return is_f32(x, w, b, f, result) && x.rows() >= 96;
}

bool always(const Tensor&, const Tensor&, const Tensor&, Activation, const Result&) { return true; }

void linear_packed(const Tensor& x, const Tensor& w, const Tensor& bias, Activation activation,
                   const Result& result) {
  constexpr int64_t kBlock = 72;  // rows whose results stay in the second-level cache for the activation
  const int64_t k = w.columns(), n = w.rows();
  const PackedMatrix panels(k, n, {w.data<float>(), w.row_stride(), true});
  const int64_t blocks = (x.rows() + kBlock - 1) / kBlock;
  parallel_for(blocks, 1, [&](int64_t first, int64_t last) {
    for (int64_t block = first; block < last; ++block) {
      const int64_t begin = block * kBlock, end = std::min(begin + kBlock, x.rows());
      panels.multiply(end - begin, x.data<float>() + begin * x.row_stride(), x.row_stride(),
                      result.y.data<float>() + begin * n, n);
      finish_rows(result, bias, activation, begin, end);
    }
  });
}

void linear_gemm(const Tensor& x, const Tensor& w, const Tensor& bias, Activation activation,
                 const Result& result) {
  const int64_t k = w.columns(), n = w.rows();
  gemm(x.rows(), n, k, {x.data<float>(), x.row_stride()}, {w.data<float>(), w.row_stride(), true},
       {result.y.data<float>(), n});
  parallel_for(x.rows(), 1 + 16384 / std::max<int64_t>(n, 1),
               [&](int64_t begin, int64_t end) { finish_rows(result, bias, activation, begin, end); });
}

void linear_reference(const Tensor& x, const Tensor& w, const Tensor& bias, Activation activation,
                      const Result& result) {
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

const Kernels<void(const Tensor&, const Tensor&, const Tensor&, Activation, const Result&)> linear_kernels{
    {"packed", many_rows, linear_packed}, {"dnnl", is_f32, linear_gemm}, {"ref", always, linear_reference}};

// dW = dz^T x, added to `buffer` if it is defined.
Tensor weight_gradient(const Tensor& dz, const Tensor& x, const Tensor& buffer) {
  const Tensor dw = buffer ? buffer : Tensor({dz.columns(), x.columns()}, dz.dtype());
  dispatch(dz.dtype(), [&]<class T>() {
    gemm(dz.columns(), x.columns(), dz.rows(), {dz.data<T>(), dz.columns(), true}, {x.data<T>(), x.columns()},
         {dw.data<T>(), dw.columns()}, T{1}, buffer ? T{1} : T{0});
  });
  return buffer ? Tensor() : dw;
}

// dx = dz W
Tensor input_gradient(const Tensor& dz, const Tensor& w, const Shape& shape) {
  Tensor dx(shape, dz.dtype());
  dispatch(dz.dtype(), [&]<class T>() {
    gemm(dz.rows(), w.columns(), w.rows(), {dz.data<T>(), dz.columns()}, {w.data<T>(), w.columns()},
         {dx.data<T>(), w.columns()});
  });
  return dx;
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation) {
  check_float("linear", {&x, &weight, &bias});
  check_rank("linear", "the weight", weight, 2);
  const int64_t in = weight.shape()[1], out = weight.shape()[0];
  check(x.defined() && x.shape().rank() >= 1 && x.columns() == in,
        "linear: the shape of x is {}, but the weight {} takes rows of {}", x.shape(), weight.shape(), in);
  if (bias) check_shape("linear", "the bias", bias, {out});
  const Tensor input = packed(x), w = packed(weight), b = bias ? packed(bias) : Tensor();
  Tensor y(x.shape().with_columns(out), x.dtype());
  const bool record_it = recording(x, weight, bias);
  Result result{y, record_it && slope_needs_input(activation) ? Tensor(y.shape(), y.dtype()) : Tensor()};
  linear_kernels(input, w, b, activation, result);
  if (record_it)
    record("linear", y, {x, weight, bias},
           [input, w, activation, kept = result.kept ? result.kept : y.detach(), dw = leaf_gradient(weight),
            db = leaf_gradient(bias), x_needs = x.node() != nullptr, w_needs = weight.node() != nullptr,
            b_needs = bias.node() != nullptr](const Tensor& gradient) {
             const Tensor dz = activation_backward(activation, kept, packed(gradient));
             Grads gradients(3);
             if (x_needs) gradients[0] = input_gradient(dz, w, input.shape());
             if (w_needs) gradients[1] = weight_gradient(dz, input, dw);
             if (b_needs) gradients[2] = column_sums(dz, db);
             return gradients;
           });
  return y;
}

}  // namespace attune
