#include "decode/word_choice/next_words.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attune/ops.h"
#include "base/check.h"
#include "ops/choosing.h"
#include "tensor/dispatch.h"

namespace attune {

NextWords::NextWords(const std::vector<Tensor>& logits, std::span<const double> weights,
                     std::vector<std::span<const int32_t>> lists)
    : numbers_(logits.size() == 1 ? logits[0] : log_of_mixture(logits, weights)),
      constants_(log_of_sums(numbers_)),
      lists_(std::move(lists)) {
  const Tensor wide = constants_.to(DType::f64);
  for (const double x : wide.span<double>())
    check(std::isfinite(x),
          "the model's outputs are not finite numbers, so they give no probabilities; its training has "
          "diverged, "
          "or its weights are damaged");
}

int32_t NextWords::word(int64_t row, int32_t column) const {
  return lists_.empty() ? column : lists_[static_cast<size_t>(row)][static_cast<size_t>(column)];
}

std::optional<size_t> NextWords::column(int64_t row, int32_t word) const {
  if (lists_.empty()) return static_cast<size_t>(word);
  const auto list = lists_[static_cast<size_t>(row)];
  const auto place = std::ranges::lower_bound(list, word);
  if (place == list.end() || *place != word) return std::nullopt;
  return static_cast<size_t>(place - list.begin());
}

double NextWords::log_p(int64_t row, int32_t word) const {
  const auto place = column(row, word);
  if (!place) return -std::numeric_limits<double>::infinity();
  return dispatch(numbers_.dtype(), [&]<class T>() -> double {
    return std::min(T{0}, numbers_.row<T>(row)[*place] -
                              constants_.data<T>()[row]);  // rounding must not give more than 1
  });
}

void NextWords::forbid(int64_t row, int32_t word) const {
  if (const auto place = column(row, word))
    dispatch(numbers_.dtype(),
             [&]<class T>() { numbers_.row<T>(row)[*place] = -std::numeric_limits<T>::infinity(); });
}

void NextWords::keep_only(int64_t row, std::span<const int32_t> words) const {
  dispatch(numbers_.dtype(), [&]<class T>() {
    const auto numbers = numbers_.row<T>(row);
    std::vector<T> kept(numbers.size(), -std::numeric_limits<T>::infinity());
    for (const int32_t word : words)
      if (const auto place = column(row, word)) kept[*place] = numbers[*place];
    std::ranges::copy(kept, numbers.begin());
  });
}

std::vector<NextWords::Word> NextWords::best(int64_t row, int64_t k) const {
  std::vector<Word> chosen;
  const int64_t columns =
      lists_.empty() ? numbers_.columns() : static_cast<int64_t>(lists_[static_cast<size_t>(row)].size());
  for (const int32_t place : largest(numbers_.view_rows(row, row + 1).view_columns(0, columns), k)) {
    const int32_t id = word(row, place);
    const double p = log_p(row, id);
    if (p == -std::numeric_limits<double>::infinity()) break;
    chosen.push_back({id, p});
  }
  return chosen;
}

Tensor NextWords::probabilities(int64_t row, double temperature) const {
  const Tensor one = numbers_.view_rows(row, row + 1);
  return softmax(temperature == 1 ? one : scale(one, 1 / temperature))
      .to(DType::f64)
      .view({numbers_.columns()});
}

}  // namespace attune
