#include "ops/gemm.h"

#include <dnnl.h>

#include <algorithm>

#include "ops/kernels.h"

namespace attune {
namespace {

template <class T>
void reference(int64_t m, int64_t n, int64_t k, MatrixOf<const T> a, MatrixOf<const T> b, MatrixOf<T> c,
               T alpha, T beta) {
  for (int64_t i = 0; i < m; ++i) {
    T* row = c.data + i * c.stride;
    if (beta == 0)
      std::fill_n(row, n, T{0});
    else
      std::transform(row, row + n, row, [beta](T x) { return beta * x; });
    for (int64_t p = 0; p < k; ++p) {
      const T factor = alpha * (a.transpose ? a.data[p * a.stride + i] : a.data[i * a.stride + p]);
      for (int64_t j = 0; j < n; ++j)
        row[j] += factor * (b.transpose ? b.data[j * b.stride + p] : b.data[p * b.stride + j]);
    }
  }
}

}  // namespace

void gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
          MatrixOf<float> c, float alpha, float beta) {
  if (m == 0 || n == 0) return;
  if (k == 0 || reference_kernels()) return reference(m, n, k, a, b, c, alpha, beta);
  const auto leading = [](int64_t stride, int64_t columns) {
    return std::max({stride, columns, int64_t{1}});
  };
  const auto status = dnnl_sgemm(a.transpose ? 'T' : 'N', b.transpose ? 'T' : 'N', m, n, k, alpha, a.data,
                                 leading(a.stride, a.transpose ? m : k), b.data,
                                 leading(b.stride, b.transpose ? k : n), beta, c.data, leading(c.stride, n));
  check(status == dnnl_success, "oneDNN could not multiply [{}, {}] by [{}, {}] (status {})", m, k, k, n,
        static_cast<int>(status));
}

void gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const double> a, MatrixOf<const double> b,
          MatrixOf<double> c, double alpha, double beta) {
  reference(m, n, k, a, b, c, alpha, beta);
}

}  // namespace attune
