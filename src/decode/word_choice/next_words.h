// NextWords: for each hypothesis of a batch, the distribution over the next word, from one or several models.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "attune/tensor.h"

namespace attune {

class NextWords {
 public:
  struct Word {
    int32_t id;
    double log_p;
  };

  // One matrix of logits [hypotheses, words] per model, whose memory is reused for the distributions; several
  // are mixed by their weights, which sum to 1:  p = sum_m weight_m softmax(logits_m)
  // `lists`: for each row the words of its columns, ascending, which must outlive this; columns beyond them
  // are -inf. Without lists, column i is word i.
  NextWords(const std::vector<Tensor>& logits, std::span<const double> weights,
            std::vector<std::span<const int32_t>> lists = {});

  int64_t rows() const { return numbers_.rows(); }
  double log_p(int64_t row, int32_t word) const;

  // Forbids a word; the probabilities of the others do not change.
  void forbid(int64_t row, int32_t word) const;
  // Forbids all words except these.
  void keep_only(int64_t row, std::span<const int32_t> words) const;

  // The k likeliest words (or all, if there are fewer), likeliest first; in a tie, the lower id first.
  std::vector<Word> best(int64_t row, int64_t k) const;

  // A row of softmax(log p / temperature) without the forbidden words, f64 [columns].
  Tensor probabilities(int64_t row, double temperature) const;
  int32_t word(int64_t row, int32_t column) const;

 private:
  std::optional<size_t> column(int64_t row, int32_t word) const;

  Tensor numbers_;    // log p up to a constant of the row; -inf where forbidden
  Tensor constants_;  // [rows]: log of the sum of exp(numbers)
  std::vector<std::span<const int32_t>> lists_;
};

}  // namespace attune
