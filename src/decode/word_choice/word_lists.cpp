#include "decode/word_choice/word_lists.h"

#include <algorithm>
#include <limits>

#include "tensor/dispatch.h"

namespace attune {

WordLists::WordLists(std::vector<std::vector<int32_t>> lists) : lists_(std::move(lists)) {
  for (const auto& list : lists_) {
    all_.insert(all_.end(), list.begin(), list.end());
    longest_ = std::max(longest_, static_cast<int64_t>(list.size()));
  }
  std::ranges::sort(all_);
  all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
  for (const auto& list : lists_) {
    auto& places = places_.emplace_back();
    auto place = all_.begin();
    for (const int32_t word : list) {
      place = std::lower_bound(place, all_.end(), word);
      places.push_back(static_cast<int32_t>(place - all_.begin()));
    }
  }
}

Tensor WordLists::own(const Tensor& logits, std::span<const int64_t> sentences) const {
  const Tensor result({logits.rows(), longest_}, logits.dtype());
  dispatch(logits.dtype(), [&]<class T>() {
    for (int64_t r = 0; r < logits.rows(); ++r) {
      const auto from = logits.row<T>(r), to = result.row<T>(r);
      auto out = to.begin();
      for (const int32_t place : places_[static_cast<size_t>(sentences[static_cast<size_t>(r)])])
        *out++ = from[static_cast<size_t>(place)];
      std::fill(out, to.end(), -std::numeric_limits<T>::infinity());
    }
  });
  return result;
}

}  // namespace attune
