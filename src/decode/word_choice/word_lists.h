// WordLists: the words that each sentence of a batch may write. The output layer is computed once for the
// union of the lists; then each row is reduced to the words of its own sentence, in their order, so that its
// probabilities do not depend on the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attune/tensor.h"

namespace attune {

class WordLists {
 public:
  explicit WordLists(std::vector<std::vector<int32_t>> lists);  // one per sentence, ascending

  std::span<const int32_t> all() const { return all_; }  // ascending
  std::span<const int32_t> of(int64_t sentence) const { return lists_[static_cast<size_t>(sentence)]; }

  // Logits [rows, all] -> [rows, longest list]: row r has those of the words of sentence sentences[r], then
  // -inf.
  Tensor own(const Tensor& logits, std::span<const int64_t> sentences) const;

 private:
  std::vector<std::vector<int32_t>> lists_;
  std::vector<std::vector<int32_t>> places_;  // positions in all_ of the words of each list
  std::vector<int32_t> all_;
  int64_t longest_ = 0;
};

}  // namespace attune
