#include "train/plan/machine.h"

#include <unistd.h>

#include <algorithm>

#include "attune/ops/products.h"
#include "attune/tensor.h"
#include "attune/threads.h"
#include "ops/product/engine.h"
#include "tensor/precision.h"
#include "train/clock.h"

namespace attune {

int64_t machine_memory() { return sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE); }

namespace {

// The least time of a product [1024, 256] [256, 1024], by one thread: two at once are rarely free on a busy
// machine, and other programs slow some of the products down.
constexpr int64_t kRows = 1024, kInputs = 256, kOutputs = 1024;
double product_seconds(Precision precision) {
  constexpr double kSeconds = 0.1;
  const Tensor x = Tensor::zeros({kRows, kInputs}), weight = Tensor::zeros({kOutputs, kInputs});
  set_precision(weight, precision);
  const ThreadCount one_thread(1);
  linear(x, weight);  // kernels are prepared at the first call
  double fastest = kSeconds;
  for (const Clock all; all.seconds() < kSeconds;) {
    const Clock one;
    linear(x, weight);
    fastest = std::min(fastest, one.seconds());
  }
  return fastest;
}

}  // namespace

Machine measure_machine() {
  const double work = threads() * 2.0 * static_cast<double>(kRows * kInputs * kOutputs);
  const Precision rounded = chosen(PrecisionChoice::automatic);
  const double flops = work / product_seconds(Precision::f32);
  return {.flops = flops,
          .rounded = rounded == Precision::f32 ? flops : work / product_seconds(rounded),
          .threads = threads(),
          .memory = machine_memory()};
}

}  // namespace attune
