#include "ops/product/gemm.h"

#include <dnnl.h>
#include <omp.h>

#include <algorithm>

#include "base/parallel.h"
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

// oneDNN in the calling thread alone: gemm() below deals the work to attune's own threads.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

void dnnl(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
          MatrixOf<float> c, float alpha, float beta) {
  const OneThread one_thread;
  const auto leading = [](int64_t stride, int64_t columns) {
    return std::max({stride, columns, int64_t{1}});
  };
  const auto status = dnnl_sgemm(a.transpose ? 'T' : 'N', b.transpose ? 'T' : 'N', m, n, k, alpha, a.data,
                                 leading(a.stride, a.transpose ? m : k), b.data,
                                 leading(b.stride, b.transpose ? k : n), beta, c.data, leading(c.stride, n));
  check(status == dnnl_success, "oneDNN could not multiply [{}, {}] by [{}, {}] (status {})", m, k, k, n,
        static_cast<int>(status));
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

}  // namespace

void gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
          MatrixOf<float> c, float alpha, float beta) {
  if (m == 0 || n == 0) return;
  if (k == 0 || reference_kernels()) return reference(m, n, k, a, b, c, alpha, beta);
  // The longer side is cut into strips of whole register tiles; a thread takes enough of them to be worth
  // waking. Thin products wait for memory, so a number that is read counts like some multiplications.
  constexpr int64_t kStrip = 48, kWorthAThread = int64_t{1} << 21, kRead = 16;
  const int64_t side = std::max(m, n), strips = (side + kStrip - 1) / kStrip;
  const int64_t work = m * n * k + kRead * (m * k + k * n + m * n);
  const int64_t grain = std::max<int64_t>(1, strips * kWorthAThread / work);
  parallel_for(strips, grain, [&](int64_t first, int64_t last) {
    const int64_t begin = first * kStrip, count = std::min(last * kStrip, side) - begin;
    if (m >= n)
      dnnl(count, n, k, rows_from(a, begin), b, rows_from(c, begin), alpha, beta);
    else
      dnnl(m, count, k, a, columns_from(b, begin), columns_from(c, begin), alpha, beta);
  });
}

void gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const double> a, MatrixOf<const double> b,
          MatrixOf<double> c, double alpha, double beta) {
  reference(m, n, k, a, b, c, alpha, beta);
}

}  // namespace attune
