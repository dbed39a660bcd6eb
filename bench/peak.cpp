// The machine's peak: a large product by oneDNN.
#include "bench/bench_case.h"
#include "ops/product/onednn_product.h"

namespace attune::bench {
namespace {

constexpr int64_t kSize = 2048;

Work large_product() {
  return [a = random_input({kSize, kSize}, 1), b = random_input({kSize, kSize}, 2)] {
    onednn_product(a, b, false, false);
  };
}

std::vector<BenchCase> peak() {
  return {{.name = "peak", .set_up = large_product, .flops = 2. * kSize * kSize * kSize}};
}

const RegisterCases registered(peak);

}  // namespace
}  // namespace attune::bench
