// The operations that move numbers more than they multiply them: embeddings, activations, dropout, norms and
// energies by themselves.
#include "attune/autograd.h"
#include "attune/ops.h"
#include "bench/bench_case.h"

namespace attune::bench {
namespace {

// Forward and backward of one operation on a matrix of activations.
BenchCase train(const std::string& name, int64_t rows, int64_t width, Tensor (*run)(const Tensor&)) {
  const auto set_up = [=]() -> Work {
    return [=, x = random_input({rows, width}, 1), dy = random_input({rows, width}, 2)] {
      backward_from(run(activation(x)), dy);
    };
  };
  return {.name = row_name(name + "_train", {rows, width}), .set_up = set_up};
}

Tensor ids(int64_t count, int64_t words) {
  Tensor numbers({count}, DType::i32);
  for (int64_t i = 0; i < count; ++i)
    numbers.data<int32_t>()[i] =
        static_cast<int32_t>(Random(1).below(static_cast<uint64_t>(words), static_cast<uint64_t>(i)));
  return numbers;
}

BenchCase embedding_train(int64_t tokens, int64_t width, int64_t words) {
  const auto set_up = [=]() -> Work {
    Learned learned;
    const Tensor table = learned.add({words, width});
    return [=, chosen = ids(tokens, words), dy = random_input({tokens, width}, 2)] {
      backward_from(embedding(table, chosen), dy);
    };
  };
  return {.name = row_name("embedding_train", {tokens, width, words}), .set_up = set_up};
}

BenchCase rms_norm_train(int64_t rows, int64_t width) {
  const auto set_up = [=]() -> Work {
    Learned learned;
    const Tensor gamma = learned.add({width});
    return [=, x = random_input({rows, width}, 1), dy = random_input({rows, width}, 2)] {
      learned.zero_gradients();
      backward_from(rms_norm(activation(x), gamma), dy);
    };
  };
  return {.name = row_name("rms_norm_train", {rows, width}), .set_up = set_up};
}

BenchCase batched_matmul(int64_t batch, int64_t m, int64_t k, int64_t n) {
  const auto set_up = [=]() -> Work {
    return [a = random_input({batch, m, k}, 1), b = random_input({batch, k, n}, 2)] {
      const NoGrad no_grad;
      matmul(a, b);
    };
  };
  return {.name = row_name("matmul_batched", {batch, m, k, n}),
          .set_up = set_up,
          .flops = 2.0 * static_cast<double>(batch * m * k * n)};
}

std::vector<BenchCase> elementwise() {
  return {embedding_train(1536, 256, 8000),
          train("relu", 1536, 1024, [](const Tensor& x) { return activate(x, Activation::relu); }),
          train("gelu", 1536, 1024, [](const Tensor& x) { return activate(x, Activation::gelu); }),
          train("tanh", 1536, 1024, [](const Tensor& x) { return activate(x, Activation::tanh); }),
          train("dropout", 1536, 256,
                [](const Tensor& x) {
                  return dropout(x, {0.1, Random(6)});
                }),
          train("log_softmax", 1536, 1024, [](const Tensor& x) { return log_softmax(x); }),
          rms_norm_train(1536, 256),
          batched_matmul(256, 24, 64, 24)};
}

const RegisterCases registered(elementwise);

}  // namespace
}  // namespace attune::bench
