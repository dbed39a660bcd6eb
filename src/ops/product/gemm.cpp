#include "ops/product/gemm.h"

#include <dnnl.h>
#include <omp.h>

#include <algorithm>

#include "base/check.h"
#include "base/signal_stack.h"
#include "base/threads/parallel.h"
#include "ops/kernels.h"
#include "ops/product/bf16_matrix.h"

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

// oneDNN only in the calling thread: gemm_dnnl() below distributes the work to attune's own threads.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// oneDNN's products point the stack pointer into their workspace. A signal's frame written there would
// overwrite the heap below it, so a thread that multiplies handles signals on another stack.
void dnnl(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
          MatrixOf<float> c, float alpha, float beta) {
  static thread_local const SignalStack signal_stack;
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

// The longer side is cut into strips of whole register tiles; a thread takes enough of them to make waking it
// worthwhile. Thin products wait for memory, so reading a number counts as several multiplications.
void gemm_dnnl(const Product<float>& p) {
  constexpr int64_t kStrip = 48, kWorthAThread = int64_t{1} << 21, kRead = 16;
  const int64_t side = std::max(p.m, p.n), strips = (side + kStrip - 1) / kStrip;
  const int64_t work = p.m * p.n * p.k + kRead * (p.m * p.k + p.k * p.n + p.m * p.n);
  const int64_t grain = std::max<int64_t>(1, strips * kWorthAThread / work);
  parallel_for(strips, grain, [&](int64_t first, int64_t last) {
    const int64_t begin = first * kStrip, count = std::min(last * kStrip, side) - begin;
    if (p.m >= p.n)
      dnnl(count, p.n, p.k, rows_from(p.a, begin), p.b, rows_from(p.c, begin), p.alpha, p.beta);
    else
      dnnl(p.m, count, p.k, p.a, columns_from(p.b, begin), columns_from(p.c, begin), p.alpha, p.beta);
  });
}

// oneDNN takes longer to begin than tiny products take, of which attention along edges makes several a node.
bool is_worth_beginning(const Product<float>& p) { return p.m * p.n * p.k > 512; }

bool in_bf16(const Product<float>& p) {
  return p.precision == Precision::bf16 && p.alpha == 1 && (p.beta == 0 || p.beta == 1);
}
void gemm_bf16(const Product<float>& p) { bf16_gemm(p.m, p.n, p.k, p.a, p.b, p.c, p.beta == 1); }

constexpr Kernels<void(const Product<float>&)> gemm_kernels{
    {gemm_bf16, in_bf16}, {gemm_dnnl, is_worth_beginning}, gemm_reference<float>};

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
