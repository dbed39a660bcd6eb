#include "ops/product/gemm.h"

#include <algorithm>

#include "base/threads/parallel.h"
#include "ops/kernels.h"
#include "ops/product/bf16/matrix.h"
#include "ops/product/onednn.h"
#include "ops/product/packed_gemm.h"

namespace attune {
namespace {

template <class T>
struct Product {
  int64_t m, n, k;
  MatrixOf<const T> a, b;
  MatrixOf<T> c;
  T alpha, beta;
  Precision precision;
};

template <class T>
void gemm_reference(const Product<T>& p) {
  const auto &a = p.a, &b = p.b;
  for (int64_t i = 0; i < p.m; ++i) {
    T* row = p.c.data + i * p.c.stride;
    if (p.beta == 0)
      std::fill_n(row, p.n, T{0});
    else
      std::transform(row, row + p.n, row, [beta = p.beta](T x) { return beta * x; });
    for (int64_t l = 0; l < p.k; ++l) {
      const T factor = p.alpha * (a.transpose ? a.data[l * a.stride + i] : a.data[i * a.stride + l]);
      for (int64_t j = 0; j < p.n; ++j)
        row[j] += factor * (b.transpose ? b.data[j * b.stride + l] : b.data[l * b.stride + j]);
    }
  }
}

// The rows [begin, end) of op(a), or the columns of op(b).
template <class T>
MatrixOf<T> rows_from(MatrixOf<T> a, int64_t begin) {
  return {a.data + (a.transpose ? begin : begin * a.stride), a.stride, a.transpose};
}
template <class T>
MatrixOf<T> columns_from(MatrixOf<T> b, int64_t begin) {
  return {b.data + (b.transpose ? begin * b.stride : begin), b.stride, b.transpose};
}

// The longer side is cut into strips of whole register tiles; a thread takes enough of them to make waking it
// worthwhile. Thin products wait for memory, so reading a number counts as several multiplications.
void gemm_onednn(const Product<float>& p) {
  constexpr int64_t kStrip = 48, kWorthAThread = int64_t{1} << 21, kRead = 16;
  const int64_t side = std::max(p.m, p.n), strips = (side + kStrip - 1) / kStrip;
  const int64_t work = p.m * p.n * p.k + kRead * (p.m * p.k + p.k * p.n + p.m * p.n);
  const int64_t grain = std::max<int64_t>(1, strips * kWorthAThread / work);
  parallel_for(strips, grain, [&](int64_t first, int64_t last) {
    const int64_t begin = first * kStrip, count = std::min(last * kStrip, side) - begin;
    if (p.m >= p.n)
      onednn_gemm(count, p.n, p.k, rows_from(p.a, begin), p.b, rows_from(p.c, begin), p.alpha, p.beta);
    else
      onednn_gemm(p.m, count, p.k, p.a, columns_from(p.b, begin), columns_from(p.c, begin), p.alpha, p.beta);
  });
}

void gemm_fast(const Product<float>& p) {
  if (onednn_keeps_order())
    gemm_onednn(p);
  else
    packed_gemm(p.m, p.n, p.k, p.a, p.b, p.c, p.alpha, p.beta);
}

// Both take longer to begin than tiny products take, of which attention along edges makes several a node.
bool is_worth_beginning(const Product<float>& p) { return p.m * p.n * p.k > 512; }

bool in_bf16(const Product<float>& p) {
  return p.precision == Precision::bf16 && p.alpha == 1 && (p.beta == 0 || p.beta == 1);
}
void gemm_bf16(const Product<float>& p) { bf16_gemm(p.m, p.n, p.k, p.a, p.b, p.c, p.beta == 1); }

constexpr Kernels<void(const Product<float>&)> gemm_kernels{
    {gemm_bf16, in_bf16}, {gemm_fast, is_worth_beginning}, gemm_reference<float>};

}  // namespace

void gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
          MatrixOf<float> c, float alpha, float beta, Precision precision) {
  if (m > 0 && n > 0) gemm_kernels({m, n, k, a, b, c, alpha, beta, precision});
}

void gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const double> a, MatrixOf<const double> b,
          MatrixOf<double> c, double alpha, double beta, Precision) {
  gemm_reference<double>({m, n, k, a, b, c, alpha, beta, Precision::f32});
}

}  // namespace attune
