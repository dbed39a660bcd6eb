// Looking words up, and adding to the gradient of the rows that were used. That gradient is not zeroed for
// each execution, which would take most of the time.
#include "attune/autograd.h"
#include "attune/ops.h"
#include "bench/bench_case.h"

namespace attune::bench {
namespace {

BenchCase embedding_train(int64_t tokens, int64_t width, int64_t words) {
  const auto set_up = [=]() -> Work {
    const Tensor ids({tokens}, DType::i32);
    for (int64_t i = 0; i < tokens; ++i)
      ids.data<int32_t>()[i] =
          static_cast<int32_t>(Random(1).below(static_cast<uint64_t>(words), static_cast<uint64_t>(i)));
    return [ids, table = leaf(random_input({words, width}, 1, 0.05)), dy = random_input({tokens, width}, 2)] {
      backward_from(embedding(table, ids), dy);
    };
  };
  return {.name = row_name("embedding_train", {tokens, width, words}), .set_up = set_up};
}

std::vector<BenchCase> embeddings() { return {embedding_train(1536, 256, 8000)}; }

const RegisterCases registered(embeddings);

}  // namespace
}  // namespace attune::bench
