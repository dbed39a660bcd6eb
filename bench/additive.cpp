// Additive attention over a whole target sentence: as one call, and query by query as an RNN decoder asks.
#include "attune/ops.h"
#include "bench/bench_case.h"

namespace attune::bench {
namespace {

constexpr int64_t kSentences = 64, kLength = 24, kWidth = 512, kValue = 1024, kTokens = kSentences * kLength;

struct Inputs {
  Tensor key = random_input({kTokens, kWidth}, 1), value = random_input({kTokens, kValue}, 2),
         dy = random_input({kTokens, kValue}, 3);
  Rows keys = Rows::uniform(kSentences, kLength);
  Learned learned;
  Tensor v = learned.add({kWidth}, 4);
};

Work whole() {
  return [in = Inputs(), query = random_input({kTokens, kWidth}, 5)] {
    in.learned.zero_gradients();
    backward_from(additive_attention(activation(query), activation(in.key), in.v, activation(in.value),
                                     in.keys, in.keys),
                  in.dy);
  };
}

Work stepwise() {
  std::vector<Tensor> queries;
  for (uint64_t step = 0; step < kLength; ++step)
    queries.push_back(random_input({kSentences, kWidth}, 5 + step));
  return [in = Inputs(), queries, one_each = Rows::uniform(kSentences, 1)] {
    in.learned.zero_gradients();
    const Tensor key = activation(in.key), value = activation(in.value);
    std::vector<Tensor> contexts;
    for (const Tensor& query : queries)
      contexts.push_back(additive_attention(activation(query), key, in.v, value, one_each, in.keys));
    backward_from(concat_rows(contexts), in.dy);
  };
}

std::vector<BenchCase> additive() {
  return {{.name = "additive_train_64x24x24", .set_up = whole, .speed = 3},
          {.name = "additive_steps_train_64x24x24", .set_up = stepwise, .speed = 3}};
}

const RegisterCases registered(additive);

}  // namespace
}  // namespace attune::bench
