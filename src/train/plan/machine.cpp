#include "train/plan/machine.h"

#include <unistd.h>

#include "attune/ops/products.h"
#include "attune/tensor.h"
#include "attune/threads.h"
#include "train/clock.h"

namespace attune {

int64_t machine_memory() { return sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE); }

Machine measure_machine() {
  constexpr int64_t kRows = 1024, kInputs = 256, kOutputs = 1024;
  constexpr double kSeconds = 0.05;
  const Tensor x = Tensor::zeros({kRows, kInputs}), weight = Tensor::zeros({kOutputs, kInputs});
  matmul(x, weight, false, true);  // kernels are prepared at the first call
  int64_t products = 0;
  const Clock clock;
  do matmul(x, weight, false, true);
  while (++products, clock.seconds() < kSeconds);
  const double each = 2.0 * static_cast<double>(kRows * kInputs * kOutputs);
  return {.flops = each * static_cast<double>(products) / clock.seconds(),
          .threads = threads(),
          .memory = machine_memory()};
}

}  // namespace attune
