// Operations on rows of scores for search. No gradients. Every row is computed independently, in a fixed
// order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "attune/tensor.h"

namespace attune {

// log sum_k exp(x_k) of each row: [n, v] -> [n]. NaN if the row has a NaN.
Tensor log_of_sums(const Tensor& x);

// log sum_m weight_m softmax(x_m), row by row, for tensors of equal shape [n, v].
Tensor log_of_mixture(std::span<const Tensor> x, std::span<const double> weights);

// The positions of the k largest numbers in the only row of x, the largest first; in a tie, the first.
std::vector<int32_t> largest(const Tensor& x, int64_t k);

// A number among the largest so far, kept in a heap whose front is replaced first.
template <class T>
struct Chosen {
  T value;
  int32_t place;
};
template <class T>
bool before(const Chosen<T>& a, const Chosen<T>& b) {
  return a.value > b.value || (a.value == b.value && a.place < b.place);
}
template <class T>
void offer(const Chosen<T>& one, size_t k, std::vector<Chosen<T>>& heap) {
  if (heap.size() == k) {
    if (!before(one, heap.front())) return;
    std::ranges::pop_heap(heap, before<T>);
    heap.pop_back();
  }
  heap.push_back(one);
  std::ranges::push_heap(heap, before<T>);
}

}  // namespace attune
