#include "train/plan/machine.h"

#include <unistd.h>

#include <algorithm>

#include "attune/ops/products.h"
#include "attune/tensor.h"
#include "attune/threads.h"
#include "train/clock.h"

namespace attune {

int64_t machine_memory() { return sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE); }

Machine measure_machine() {
  constexpr int64_t kRows = 1024, kInputs = 256, kOutputs = 1024;
  constexpr double kSeconds = 0.1;
  const Tensor x = Tensor::zeros({kRows, kInputs}), weight = Tensor::zeros({kOutputs, kInputs});
  const int count = threads();
  const ThreadCount one_thread(1);  // two at once are rarely free on a busy machine
  matmul(x, weight, false, true);   // kernels are prepared at the first call
  double fastest = kSeconds;        // of the products: other programs slow the others down
  for (const Clock all; all.seconds() < kSeconds;) {
    const Clock one;
    matmul(x, weight, false, true);
    fastest = std::min(fastest, one.seconds());
  }
  return {.flops = count * 2.0 * static_cast<double>(kRows * kInputs * kOutputs) / fastest,
          .threads = count,
          .memory = machine_memory()};
}

}  // namespace attune
