#include "decode/next_words.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attune/ops.h"
#include "base/check.h"
#include "ops/choosing.h"
#include "tensor/dispatch.h"

namespace attune {

NextWords::NextWords(const std::vector<Tensor>& logits, std::span<const double> weights)
    : numbers_(logits.size() == 1 ? logits[0] : log_of_mixture(logits, weights)),
      constants_(log_of_sums(numbers_)) {
  const Tensor wide = constants_.to(DType::f64);
  for (const double x : wide.span<double>())
    check(std::isfinite(x),
          "the model gives no probabilities (its outputs are not finite numbers); its training has diverged, "
          "or its weights are damaged");
}

double NextWords::log_p(int64_t row, int32_t word) const {
  return dispatch(numbers_.dtype(), [&]<class T>() -> double {
    return std::min(T{0}, numbers_.row<T>(row)[static_cast<size_t>(word)] -
                              constants_.data<T>()[row]);  // rounding must not give more than 1
  });
}

void NextWords::forbid(int64_t row, int32_t word) const {
  dispatch(numbers_.dtype(), [&]<class T>() {
    numbers_.row<T>(row)[static_cast<size_t>(word)] = -std::numeric_limits<T>::infinity();
  });
}

std::vector<NextWords::Word> NextWords::best(int64_t row, int64_t k) const {
  std::vector<Word> chosen;
  for (const int32_t id : largest(numbers_.view_rows(row, row + 1), k)) {
    const double p = log_p(row, id);
    if (p == -std::numeric_limits<double>::infinity()) break;
    chosen.push_back({id, p});
  }
  return chosen;
}

Tensor NextWords::probabilities(int64_t row, double temperature) const {
  const Tensor one = numbers_.view_rows(row, row + 1);
  return softmax(temperature == 1 ? one : scale(one, 1 / temperature)).to(DType::f64).view({words()});
}

}  // namespace attune
