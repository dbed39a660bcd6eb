// An Adam step over one flat buffer: it reads four numbers and writes three a parameter.
#include "attune/ops.h"
#include "bench/bench_case.h"

namespace attune::bench {
namespace {

constexpr int64_t kParameters = 60'000'000;

Work adam_step() {
  const auto numbers = [](double value) { return Tensor::full({kParameters}, value); };
  return [values = numbers(1), gradients = numbers(0.01), first = numbers(0), second = numbers(0),
          step = AdamStep{}]() mutable {
    adam(values, gradients, first, second, step);
    ++step.step;
  };
}

std::vector<BenchCase> optimiser() {
  return {{.name = "adam_60M", .set_up = adam_step, .bytes = 7. * 4 * kParameters, .speed = 1.5}};
}

const RegisterCases registered(optimiser);

}  // namespace
}  // namespace attune::bench
