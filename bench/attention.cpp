// Multi-head attention of whole sentences, and additive attention over a target sentence.
#include "attune/ops.h"

#include "attune/autograd.h"
#include "bench/bench_case.h"

namespace attune::bench {
namespace {

struct Heads {
  int64_t batch, heads, length, width;

  double pairs() const { return static_cast<double>(batch * heads * length * length); }
  Tensor input(uint64_t seed) const { return random_input({batch * length, heads * width}, seed); }
};

Work attention_forward(const Heads& s) {
  return [q = s.input(1), k = s.input(2), v = s.input(3), rows = Rows::uniform(s.batch, s.length),
          options = AttentionOptions{.heads = static_cast<int>(s.heads)}] {
    const NoGrad no_grad;
    attention(q, k, v, rows, rows, options);
  };
}

Work attention_train(const Heads& s) {
  return [q = s.input(1), k = s.input(2), v = s.input(3), dy = s.input(4),
          rows = Rows::uniform(s.batch, s.length),
          options = AttentionOptions{.heads = static_cast<int>(s.heads)}] {
    backward_from(attention(activation(q), activation(k), activation(v), rows, rows, options), dy);
  };
}

std::vector<BenchCase> attentions() {
  const auto bench = [](const std::string& name, Work (*work)(const Heads&), const Heads& s, double products,
                        double speed, double megabytes = 0) {
    return BenchCase{.name = row_name(name, {s.batch, s.heads, s.length, s.width}),
                     .set_up = [work, s] { return work(s); },
                     .flops = products * 2 * s.pairs() * static_cast<double>(s.width),
                     .speed = speed,
                     .megabytes = megabytes};
  };
  const Heads many{8, 8, 512, 64}, one{1, 8, 2048, 64}, page{1, 8, 8192, 64};
  return {bench("attention_forward", attention_forward, many, 2, 3),
          bench("attention_forward", attention_forward, one, 2, 3),
          bench("attention_train", attention_train, many, 6, 2.5),
          bench("attention_train", attention_train, one, 6, 2.5),
          bench("attention_train", attention_train, page, 6, 2.5, 100)};
}

const RegisterCases registered(attentions);

}  // namespace
}  // namespace attune::bench
