// Linear + softmax + cross entropy with label smoothing.
#include "attune/autograd.h"
#include "attune/ops.h"
#include "attune/random.h"
#include "bench/bench_case.h"

namespace attune::bench {
namespace {

BenchCase linear_cross_entropy_train(int64_t tokens, int64_t width, int64_t vocabulary) {
  const auto set_up = [=]() -> Work {
    Learned learned;
    const Tensor weight = learned.add({vocabulary, width}, 1), bias = learned.add({vocabulary}, 2);
    const Tensor targets({tokens}, DType::i32);
    for (int64_t i = 0; i < tokens; ++i)
      targets.data<int32_t>()[i] =
          static_cast<int32_t>(Random(3).below(static_cast<uint64_t>(vocabulary), static_cast<uint64_t>(i)));
    return [=, x = random_input({tokens, width}, 4)] {
      learned.zero_gradients();
      backward(linear_cross_entropy(activation(x), weight, bias, targets, 0.1).loss);
    };
  };
  return {.name = row_name("linear_cross_entropy_train", {tokens, width, vocabulary}),
          .set_up = set_up,
          .flops = 6. * static_cast<double>(tokens * width * vocabulary),
          .speed = 1.3,
          .memory_share = 0.25};
}

std::vector<BenchCase> losses() {
  return {linear_cross_entropy_train(1536, 256, 8000), linear_cross_entropy_train(1024, 512, 32000)};
}

const RegisterCases registered(losses);

}  // namespace
}  // namespace attune::bench
