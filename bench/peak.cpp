// The machine's peak: a large product by oneDNN, or by our own code where there is none.
#include "bench/bench_case.h"
#include "ops/product/gemm.h"

namespace attune::bench {
namespace {

constexpr int64_t kSize = 2048;

Work large_product() {
  return [a = random_input({kSize, kSize}, 1), b = random_input({kSize, kSize}, 2),
          c = Tensor({kSize, kSize})] {
    gemm(kSize, kSize, kSize, {a.data<float>(), kSize}, {b.data<float>(), kSize}, {c.data<float>(), kSize});
  };
}

std::vector<BenchCase> peak() {
  return {{.name = "peak", .set_up = large_product, .flops = 2. * kSize * kSize * kSize}};
}

const RegisterCases registered(peak);

}  // namespace
}  // namespace attune::bench
