// A bidirectional recurrent layer over a batch of sentences, of equal and of mixed lengths.
#include <array>
#include <numeric>

#include "attune/ops.h"
#include "bench/bench_case.h"

namespace attune::bench {
namespace {

constexpr int64_t kSentences = 64, kIn = 256, kHidden = 512;

// 5 to 44 tokens, 24 on average, in no order.
std::vector<int64_t> mixed_lengths() {
  std::vector<int64_t> lengths(kSentences);
  for (int64_t i = 0; i < kSentences; ++i) lengths[static_cast<size_t>(i)] = 5 + i * 37 % 64 * 40 / 64;
  return lengths;
}

CellWeights weights(Cell cell, Learned& learned) {
  const int64_t rows = gates(cell) * kHidden;
  return {learned.add({rows, kIn}, 1), learned.add({rows, kHidden}, 2), learned.add({rows}, 3),
          learned.add({rows}, 4)};
}

Work train(Cell cell, const Rows& rows) {
  Learned learned;
  const CellWeights forward = weights(cell, learned), backward = weights(cell, learned);
  return
      [=, numbers = random_input({rows.total(), kIn}, 5), dy = random_input({rows.total(), 2 * kHidden}, 6)] {
        learned.zero_gradients();
        const Tensor x = activation(numbers);
        const std::array<Tensor, 2> states{recurrence(cell, x, rows, forward).h,
                                           recurrence(cell, x, rows, backward, {}, true).h};
        backward_from(concat_columns(states), dy);
      };
}

std::vector<BenchCase> recurrences() {
  std::vector<BenchCase> cases;
  for (const Cell cell : {Cell::gru, Cell::lstm}) {
    const auto add = [&](const std::string& lengths, const Rows& rows, double speed) {
      cases.push_back(
          {.name = std::string(name(cell)) + "_train_" + lengths,
           .set_up = [cell, rows] { return train(cell, rows); },
           .flops = 6. * 2 * static_cast<double>(rows.total() * gates(cell) * kHidden * (kIn + kHidden)),
           .speed = speed});
    };
    add("64x24", Rows::uniform(kSentences, 24), 1.3);
    add("mixed", Rows(mixed_lengths()), 1.8);
  }
  return cases;
}

const RegisterCases registered(recurrences);

}  // namespace
}  // namespace attune::bench
