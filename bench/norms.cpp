// What stands between the products of a Transformer: residual + dropout + layer norm; softmax.
#include "attune/autograd.h"
#include "attune/ops.h"
#include "bench/bench_case.h"

namespace attune::bench {
namespace {

BenchCase residual_norm_train(int64_t rows, int64_t width) {
  const auto set_up = [rows, width]() -> Work {
    Learned learned;
    const Tensor gamma = learned.add({width}, 1), beta = learned.add({width}, 2);
    return [=, x = random_input({rows, width}, 3), residual = random_input({rows, width}, 4),
            dy = random_input({rows, width}, 5)] {
      learned.zero_gradients();
      const Dropout dropout{0.1, Random(6)};
      backward_from(residual_norm(activation(x), activation(residual), gamma, beta, dropout).normed, dy);
    };
  };
  return {.name = row_name("residual_norm_train", {rows, width}), .set_up = set_up, .speed = 2};
}

BenchCase softmax_forward(int64_t rows, int64_t width) {
  const auto set_up = [rows, width]() -> Work {
    return [x = random_input({rows, width})] {
      const NoGrad no_grad;
      softmax(x);
    };
  };
  return {.name = row_name("softmax", {rows, width}), .set_up = set_up};
}

std::vector<BenchCase> norms() {
  return {residual_norm_train(1536, 256), residual_norm_train(1024, 512), softmax_forward(1536, 8000)};
}

const RegisterCases registered(norms);

}  // namespace
}  // namespace attune::bench
