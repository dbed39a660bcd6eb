// Additive attention over a target sentence query by query, as an RNN decoder asks.
#include "attune/ops.h"
#include "bench/bench_case.h"

namespace attune::bench {
namespace {

constexpr int64_t kSentences = 64, kLength = 24, kWidth = 512, kValue = 1024, kTokens = kSentences * kLength;

Work stepwise() {
  Learned learned;
  const Tensor v = learned.add(random_input({kWidth}, 4, 0.05));
  std::vector<Tensor> queries;
  for (uint64_t step = 0; step < kLength; ++step)
    queries.push_back(random_input({kSentences, kWidth}, 5 + step));
  return [=, keys = random_input({kTokens, kWidth}, 1), values = random_input({kTokens, kValue}, 2),
          dy = random_input({kTokens, kValue}, 3), one_each = Rows::uniform(kSentences, 1),
          rows = Rows::uniform(kSentences, kLength)] {
    learned.zero_gradients();
    const Tensor key = activation(keys), value = activation(values);
    std::vector<Tensor> contexts;
    for (const Tensor& query : queries)
      contexts.push_back(additive_attention(activation(query), key, v, value, one_each, rows));
    backward_from(concat_rows(contexts), dy);
  };
}

std::vector<BenchCase> additive() {
  return {{.name = "additive_steps_train_64x24x24", .set_up = stepwise, .speed = 3}};
}

const RegisterCases registered(additive);

}  // namespace
}  // namespace attune::bench
