// One head of one sentence: the problem that the attention kernels solve, and its plain solution.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "attune/ops/attention.h"
#include "ops/pointwise/dropout.h"

namespace attune {

template <class T>
struct Rows2d {  // rows of a matrix that need not be contiguous
  T* data = nullptr;
  int64_t stride = 0;
  T* row(int64_t i) const { return data + i * stride; }
};

template <class T>
struct AttentionHead {
  Rows2d<const T> q, k, v;  // [queries, d], [keys, d], [keys, e]
  int64_t queries, keys, d, e;
  T scale;
  Band sees;
  Dropout dropout;
  int64_t dropout_row, dropout_step;  // query i draws row dropout_row + i * dropout_step
  const T* bias = nullptr;            // of distance 0, between its neighbours; null: none
  const int32_t* centres = nullptr;   // of the queries; null: as Band says
  const int32_t* places = nullptr;    // null: the keys are in order

  int64_t place(int64_t key) const { return places != nullptr ? places[key] : key; }  // its row of k and v
  int64_t position(int64_t query) const {
    return centres != nullptr ? centres[query] : query + keys - queries;
  }
  // A query sees the keys from first to last - 1.
  int64_t first(int64_t query) const { return std::clamp<int64_t>(position(query) - sees.back, 0, keys); }
  int64_t last(int64_t query) const {
    return std::clamp<int64_t>(position(query) + sees.ahead + 1, first(query), keys);
  }
};

template <class T>
struct AttentionHeadGradient {
  Rows2d<const T> out, dout;  // [queries, e]
  const T* lse;               // [queries] log of the sum of exponentials, from the forward pass
  Rows2d<T> dq, dk, dv;
  T* dbias = nullptr;  // of distance 0; grows
};

// The weights [queries, keys], row after row: softmax_j(scale q_i k_j + bias_{j - i}), 0 where i does not see
// j.
template <class T>
std::vector<T> attention_weights(const AttentionHead<T>& head) {
  std::vector<T> weights(static_cast<size_t>(head.queries * head.keys));
  for (int64_t i = 0; i < head.queries; ++i) {
    T* w = weights.data() + i * head.keys;
    const int64_t first = head.first(i), last = head.last(i);
    T max = -std::numeric_limits<T>::infinity(), total = 0;
    for (int64_t j = first; j < last; ++j) {
      T dot = 0;
      for (int64_t c = 0; c < head.d; ++c) dot += head.q.row(i)[c] * head.k.row(head.place(j))[c];
      w[j] = head.scale * dot + (head.bias != nullptr ? head.bias[j - head.position(i)] : T{0});
      max = std::max(max, w[j]);
    }
    for (int64_t j = first; j < last; ++j) total += w[j] = std::exp(w[j] - max);
    for (int64_t j = first; j < last; ++j) w[j] /= total;
  }
  return weights;
}

// f32 in tiles with online softmax (Milakov and Gimelshein 2018; Dao et al. 2022), without a matrix of
// queries by keys. The keys are in order. `lse` (for a backward pass) may be null.
int64_t attention_forward_scratch(int64_t keys, int64_t d, int64_t e);  // floats
void attention_forward(const AttentionHead<float>& head, Rows2d<float> out, float* lse, float* scratch);
// The same for few queries; keys and values may be in any places. Without dropout.
constexpr int64_t kFewQueries = 4;
void attention_few(const AttentionHead<float>& head, Rows2d<float> out, float* lse, float* scratch);
int64_t attention_backward_scratch(int64_t queries, int64_t keys, int64_t d, int64_t e);  // floats
void attention_backward(const AttentionHead<float>& head, const AttentionHeadGradient<float>& gradient,
                        float* scratch);

}  // namespace attune
