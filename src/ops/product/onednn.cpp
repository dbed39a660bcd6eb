#include "ops/product/onednn.h"

#include <dnnl.h>
#include <fmt/core.h>
#include <omp.h>

#include <algorithm>

#include "base/check.h"
#include "base/signal_stack.h"

// Exported by oneDNN 2.6, but not in its headers. Row-major, as dnnl_sgemm.
extern "C" dnnl_status_t dnnl_gemm_bf16bf16f32(char transpose_a, char transpose_b, dnnl_dim_t m, dnnl_dim_t n,
                                               dnnl_dim_t k, float alpha, const void* a, dnnl_dim_t a_stride,
                                               const void* b, dnnl_dim_t b_stride, float beta, float* c,
                                               dnnl_dim_t c_stride);

namespace attune {
namespace {

// oneDNN only in the calling thread: gemm() distributes the work to attune's own threads.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace

bool has_onednn() { return true; }

bool onednn_keeps_order() {
#ifdef __x86_64__
  static const bool keeps = __builtin_cpu_supports("avx512f") != 0;
  return keeps;
#else
  return false;
#endif
}

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

// oneDNN's products point the stack pointer into their workspace. A signal's frame written there would
// overwrite the heap below it, so a thread that multiplies handles signals on another stack.
void onednn_gemm(int64_t m, int64_t n, int64_t k, MatrixOf<const float> a, MatrixOf<const float> b,
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

Tensor onednn_product(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  const int64_t m = transpose_a ? a.columns() : a.rows(), k = transpose_a ? a.rows() : a.columns(),
                n = transpose_b ? b.rows() : b.columns();
  Tensor c({m, n});
  dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, 1, a.data<float>(), a.columns(),
             b.data<float>(), b.columns(), 0, c.data<float>(), n);
  return c;
}

void onednn_bf16_product(const Tensor& x, const Tensor& w, const Tensor& c) {
  const auto status =
      dnnl_gemm_bf16bf16f32('N', 'T', x.rows(), w.rows(), x.columns(), 1, x.data<BFloat16>(), x.row_stride(),
                            w.data<BFloat16>(), w.row_stride(), 0, c.data<float>(), w.rows());
  check(status == dnnl_success, "oneDNN has no products of bf16 numbers for this CPU (status {})",
        static_cast<int>(status));
}

void onednn_int8_product(const Tensor& x, const Tensor& w, const Tensor& c) {
  const int32_t nothing = 0;
  const int64_t m = x.rows(), n = w.rows(), k = x.columns();
  dnnl_gemm_u8s8s32('N', 'T', 'F', m, n, k, 1, reinterpret_cast<const uint8_t*>(x.data<int8_t>()), k, 0,
                    w.data<int8_t>(), k, 0, 0, c.data<int32_t>(), n, &nothing);
}

}  // namespace attune
