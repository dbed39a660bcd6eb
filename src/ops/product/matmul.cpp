// C = op(A) op(B), one matrix or a batch of them.
#include "attune/autograd.h"
#include "attune/ops.h"
#include "base/threads/parallel.h"
#include "ops/product/gemm.h"
#include "ops/shapes.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

struct Sizes {
  int64_t batch, m, n, k;
};

// A single matrix need not be contiguous; the matrices of a batch must be.
Tensor operand(const Tensor& t) { return t.shape().rank() == 2 ? t.detach() : packed(t); }

Sizes sizes_of(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  check_float("matmul", {&a, &b});
  check(a.defined() && b.defined(), "matmul: a tensor is undefined");
  const int rank = a.shape().rank();
  check((rank == 2 || rank == 3) && b.shape().rank() == rank && (rank == 2 || a.shape()[0] == b.shape()[0]),
        "matmul: the shapes {} and {} are neither two matrices nor two batches of the same size", a.shape(),
        b.shape());
  const int64_t k = a.shape()[transpose_a ? -2 : -1];
  check(b.shape()[transpose_b ? -1 : -2] == k,
        "matmul: {}{} and {}{} cannot be multiplied: the inner sizes differ", a.shape(),
        transpose_a ? " transposed" : "", b.shape(), transpose_b ? " transposed" : "");
  return {rank == 3 ? a.shape()[0] : 1, a.shape()[transpose_a ? -1 : -2], b.shape()[transpose_b ? -2 : -1],
          k};
}

struct Operand {
  Tensor tensor;
  bool transpose = false;
};

// c (+)= op(a) op(b) for each matrix of the batch.
void multiply(const Operand& a, const Operand& b, const Tensor& c, bool accumulate) {
  const Sizes s = sizes_of(a.tensor, b.tensor, a.transpose, b.transpose);
  dispatch(c.dtype(), [&]<class T>() {
    const auto matrix = [](const Operand& x, int64_t index) {
      const Tensor& t = x.tensor;
      const int64_t step = t.shape().rank() == 3 ? t.shape()[1] * t.shape()[2] : 0;
      return MatrixOf<const T>{t.data<T>() + index * step, t.row_stride(), x.transpose};
    };
    const auto one = [&](int64_t i) {
      gemm(s.m, s.n, s.k, matrix(a, i), matrix(b, i), {c.data<T>() + i * s.m * s.n, c.row_stride()}, T{1},
           accumulate ? T{1} : T{0});
    };
    if (s.batch == 1) return one(0);
    parallel_for(s.batch, 1 + 65536 / std::max<int64_t>(s.m * s.n * s.k, 1), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) one(i);
    });
  });
}

// The product as a gradient: added to the leaf's own buffer, or a new tensor.
Tensor gradient_product(const Operand& a, const Operand& b, const Tensor& buffer, const Shape& shape,
                        DType dtype) {
  if (buffer) {
    multiply(a, b, buffer, true);
    return {};
  }
  Tensor gradient(shape, dtype);
  multiply(a, b, gradient, false);
  return gradient;
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  const Sizes s = sizes_of(a, b, transpose_a, transpose_b);
  Tensor c(a.shape().rank() == 3 ? Shape{s.batch, s.m, s.n} : Shape{s.m, s.n}, a.dtype());
  const Operand left{operand(a), transpose_a}, right{operand(b), transpose_b};
  multiply(left, right, c, false);
  if (recording(a, b))
    record("matmul", c, {a, b},
           [left, right, da = leaf_gradient(a), db = leaf_gradient(b), a_needs = a.node() != nullptr,
            b_needs = b.node() != nullptr](const Tensor& gradient) {
             const Tensor dc = operand(gradient);
             const auto flip = [](const Operand& x) { return Operand{x.tensor, !x.transpose}; };
             Grads gradients(2);
             // A: dA = dC op(B)^T, or its transpose op(B) dC^T
             if (a_needs)
               gradients[0] = left.transpose
                                  ? gradient_product(right, {dc, true}, da, left.tensor.shape(), dc.dtype())
                                  : gradient_product({dc}, flip(right), da, left.tensor.shape(), dc.dtype());
             // B: dB = op(A)^T dC, or its transpose dC^T op(A)
             if (b_needs)
               gradients[1] = right.transpose
                                  ? gradient_product({dc, true}, left, db, right.tensor.shape(), dc.dtype())
                                  : gradient_product(flip(left), {dc}, db, right.tensor.shape(), dc.dtype());
             return gradients;
           });
  return c;
}

}  // namespace attune
