// With s = residual + dropout(x):
//   layer norm:  y = gamma (s - mean(s)) / sqrt(var(s) + eps) + beta
//   RMS norm:    y = gamma s / sqrt(mean(s^2) + eps)
// Backward, with u = (s - mean) rstd and g = dy gamma:
//   ds = rstd (g - mean(g) - u mean(g u)) + the gradient of s itself;  mean(g) is absent from the RMS norm.
#include <algorithm>
#include <cmath>
#include <vector>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "base/threads/parallel.h"
#include "ops/column_sums.h"
#include "ops/kernels.h"
#include "ops/norm_rows.h"
#include "ops/pointwise/dropout.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

template <class T>
void norm_row_reference(const NormRow<T>& r, int64_t n) {
  const T* s = r.x;
  if (r.residual != nullptr) {
    for (int64_t i = 0; i < n; ++i) r.sum[i] = r.x[i] * (r.factors ? r.factors[i] : T{1}) + r.residual[i];
    s = r.sum;
  }
  T mean = 0, var = 0;
  for (int64_t i = 0; i < n && r.beta != nullptr; ++i) mean += s[i] / static_cast<T>(n);
  for (int64_t i = 0; i < n; ++i) var += (s[i] - mean) * (s[i] - mean) / static_cast<T>(n);
  *r.mean = mean;
  *r.rstd = 1 / std::sqrt(var + r.eps);
  for (int64_t i = 0; i < n; ++i)
    r.y[i] = r.gamma[i] * (s[i] - mean) * *r.rstd + (r.beta != nullptr ? r.beta[i] : T{0});
}

template <class T>
void norm_gradient_row_reference(const NormGradientRow<T>& r, int64_t n) {
  const auto normed = [&](int64_t i) { return (r.sum[i] - r.mean) * r.rstd; };
  T m1 = 0, m2 = 0;
  for (int64_t i = 0; i < n && r.dy != nullptr; ++i) {
    const T g = r.dy[i] * r.gamma[i];
    if (r.centred) m1 += g / static_cast<T>(n);
    m2 += g * normed(i) / static_cast<T>(n);
    r.dgamma[i] += r.dy[i] * normed(i);
    r.dbeta[i] += r.dy[i];
  }
  for (int64_t i = 0; i < n; ++i) {
    T ds = r.dy != nullptr ? r.rstd * (r.dy[i] * r.gamma[i] - m1 - normed(i) * m2) : T{0};
    if (r.dsum != nullptr) ds += r.dsum[i];
    r.dresidual[i] = ds;
    if (r.factors != nullptr) r.dx[i] = ds * r.factors[i];
  }
}

template <class T>
constexpr Kernels<void(const NormRow<T>&, int64_t)> norm_rows{f32_only<T>(norm_row), norm_row_reference<T>};
template <class T>
constexpr Kernels<void(const NormGradientRow<T>&, int64_t)> norm_gradient_rows{
    f32_only<T>(norm_gradient_row), norm_gradient_row_reference<T>};

// Dropout factors of one row, made anew in the backward pass.
template <class T>
class Factors {
 public:
  Factors(const Dropout& dropout, int64_t n)
      : dropout_(dropout), n_(n), f32_(static_cast<size_t>(dropout.p > 0 ? whole_dropout_blocks(n) : 0)) {}
  const T* row(int64_t r) {
    if (dropout_.p == 0) return nullptr;
    dropout_factors(dropout_, r, 0, n_, f32_.data());
    if constexpr (std::is_same_v<T, float>) {
      return f32_.data();
    } else {
      wide_.assign(f32_.begin(), f32_.end());
      for (T& factor : wide_) factor = factor == 0 ? T{0} : T{1} / (T{1} - static_cast<T>(dropout_.p));
      return wide_.data();
    }
  }

 private:
  const Dropout& dropout_;
  int64_t n_;
  std::vector<float> f32_;
  std::vector<T> wide_;
};

struct NormInput {
  Tensor x, residual, gamma, beta;  // contiguous; residual and beta may be undefined
  Dropout dropout;
  double eps;
};

struct NormResult {
  Tensor sum, y, mean, rstd;
};

NormResult norm_forward(const NormInput& in) {
  const DType dtype = in.x.dtype();
  const int64_t rows = in.x.rows(), n = in.x.columns();
  NormResult out{in.residual ? Tensor(in.x.shape(), dtype) : in.x, Tensor(in.x.shape(), dtype),
                 Tensor({rows}, dtype), Tensor({rows}, dtype)};
  dispatch(dtype, [&]<class T>() {
    const auto kernel = norm_rows<T>.chosen();
    parallel_for(rows, 1 + 8192 / std::max<int64_t>(n, 1), [&](int64_t begin, int64_t end) {
      Factors<T> factors(in.dropout, n);
      const NormRow<T> top{.x = in.x.data<T>(),
                           .residual = in.residual ? in.residual.data<T>() : nullptr,
                           .factors = nullptr,
                           .gamma = in.gamma.data<T>(),
                           .beta = in.beta ? in.beta.data<T>() : nullptr,
                           .eps = static_cast<T>(in.eps),
                           .sum = out.sum.data<T>(),
                           .y = out.y.data<T>(),
                           .mean = out.mean.data<T>(),
                           .rstd = out.rstd.data<T>()};
      for (int64_t r = begin; r < end; ++r) kernel(top.at(r, n, factors.row(r)), n);
    });
  });
  return out;
}

struct NormSaved {
  Tensor sum, mean, rstd, gamma;
  bool centred;
  Dropout dropout;
  Tensor dgamma, dbeta;  // the leaves' own buffers, or undefined
};

struct NormGradients {
  Tensor dx, dresidual, dgamma, dbeta;
};

// dsum or dy may be undefined. The gradients of gamma and beta are summed in blocks of rows, then block by
// block, so they do not depend on the number of threads.
NormGradients norm_backward(const NormSaved& saved, const Tensor& dsum, const Tensor& dy) {
  constexpr int64_t kMostBlocks = 16, kBlockRows = 32;
  const DType dtype = saved.sum.dtype();
  const int64_t rows = saved.sum.rows(), n = saved.sum.columns();
  const int64_t blocks = std::clamp<int64_t>(rows / kBlockRows, 1, kMostBlocks);
  const Tensor dresidual(saved.sum.shape(), dtype);
  const Tensor dx = saved.dropout.p > 0 ? Tensor(saved.sum.shape(), dtype) : dresidual;
  const Tensor gains = Tensor::zeros({blocks, n}, dtype), biases = Tensor::zeros({blocks, n}, dtype);
  dispatch(dtype, [&]<class T>() {
    const auto kernel = norm_gradient_rows<T>.chosen();
    parallel_for(blocks, 1, [&](int64_t first, int64_t last) {
      Factors<T> factors(saved.dropout, n);
      const T *sum = saved.sum.data<T>(), *mean = saved.mean.data<T>(), *rstd = saved.rstd.data<T>(),
              *gamma = saved.gamma.data<T>(), *dys = dy ? dy.data<T>() : nullptr,
              *dsums = dsum ? dsum.data<T>() : nullptr;
      T *dresiduals = dresidual.data<T>(), *dxs = dx.data<T>();
      for (int64_t block = first; block < last; ++block) {
        T *dgamma = gains.data<T>() + block * n, *dbeta = biases.data<T>() + block * n;
        for (int64_t r = block * rows / blocks; r < (block + 1) * rows / blocks; ++r)
          kernel({.sum = sum + r * n,
                  .mean = mean[r],
                  .rstd = rstd[r],
                  .centred = saved.centred,
                  .factors = factors.row(r),
                  .gamma = gamma,
                  .dy = dys ? dys + r * n : nullptr,
                  .dsum = dsums ? dsums + r * n : nullptr,
                  .dresidual = dresiduals + r * n,
                  .dx = dxs + r * n,
                  .dgamma = dgamma,
                  .dbeta = dbeta},
                 n);
      }
    });
  });
  return {dx, dresidual, column_sums(gains, saved.dgamma),
          saved.centred ? column_sums(biases, saved.dbeta) : Tensor()};
}

NormInput checked(std::string_view op, const Tensor& x, const Tensor& residual, const Tensor& gamma,
                  const Tensor& beta, const Dropout& dropout, double eps) {
  check_float(op, {&x, &residual, &gamma, &beta});
  check(x.defined() && x.shape().rank() >= 1, "{}: x should have rows", op);
  check_shape(op, "gamma", gamma, {x.columns()});
  if (beta) check_shape(op, "beta", beta, {x.columns()});
  if (residual) check_shape(op, "the residual", residual, x.shape());
  check_dropout(op, dropout);
  const auto together = [](const Tensor& t) { return t ? packed(t) : t; };
  return {packed(x), together(residual), packed(gamma), together(beta), dropout, eps};
}

NormSaved save(const NormInput& in, const NormResult& out, const Tensor& gamma, const Tensor& beta) {
  return {out.sum.detach(),     out.mean,           out.rstd, in.gamma, in.beta.defined(), in.dropout,
          leaf_gradient(gamma), leaf_gradient(beta)};
}

Tensor optional(const Tensor& gradient) { return gradient ? packed(gradient) : gradient; }

Tensor plain_norm(std::string_view op, const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps) {
  const NormInput in = checked(op, x, {}, gamma, beta, {}, eps);
  NormResult out = norm_forward(in);
  if (recording(x, gamma, beta))
    record(op, out.y, {x, gamma, beta}, [saved = save(in, out, gamma, beta)](const Tensor& dy) {
      NormGradients g = norm_backward(saved, {}, packed(dy));
      return Grads{g.dx, g.dgamma, g.dbeta};
    });
  return out.y;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps) {
  check(beta.defined(), "layer_norm: beta is undefined; rms_norm works without");
  return plain_norm("layer_norm", x, gamma, beta, eps);
}

Tensor rms_norm(const Tensor& x, const Tensor& gamma, double eps) {
  return plain_norm("rms_norm", x, gamma, {}, eps);
}

ResidualNorm residual_norm(const Tensor& x, const Tensor& residual, const Tensor& gamma, const Tensor& beta,
                           const Dropout& dropout, double eps) {
  check(residual.defined(), "residual_norm: the residual is undefined");
  const NormInput in = checked("residual_norm", x, residual, gamma, beta, dropout, eps);
  NormResult out = norm_forward(in);
  if (recording(x, residual, gamma, beta)) {
    auto saved = save(in, out, gamma, beta);
    record("residual_norm", {&out.sum, &out.y}, {x, residual, gamma, beta}, [saved](const Grads& dy) {
      NormGradients g = norm_backward(saved, optional(dy[0]), optional(dy[1]));
      return Grads{g.dx, g.dresidual, g.dgamma, g.dbeta};
    });
  }
  return {out.sum, out.y};
}

}  // namespace attune
