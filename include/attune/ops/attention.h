// Attention over ragged batches: fused, or in the steps score, normalise, mix.
#pragma once

#include <cstdint>

#include "attune/lens.h"
#include "attune/ops/elementwise.h"
#include "attune/rows.h"
#include "attune/tensor.h"

namespace attune {

// Each head of x rotated by its token's position; `table` [positions, head size] holds cosines, then sines.
Tensor rotary(const Tensor& x, const Tensor& positions,
              const Tensor& table);  // [tokens, heads d] i32 [tokens]

// The keys that a query sees: from `back` before its position to `ahead` after it. The position of query i of
// n among m keys is i + (m - n), so that the last query stands at the last key.
struct Band {
  static constexpr int64_t kAll = int64_t{1} << 40;
  int64_t back = kAll, ahead = kAll;
  bool operator==(const Band&) const = default;
};
constexpr Band kCausal{.ahead = 0};

struct AttentionOptions {
  int heads = 1;
  Band sees = {};
  Tensor centres = {};   // i32 [queries]: their positions, if they are not those of Band
  double scale = 0;      // of the scores; 0 means 1 / sqrt(d)
  Tensor bias = {};      // [2 r + 1, heads]: added to the scores by distance, key - position, from -r to r;
                         // distances beyond count as -r or r
  Tensor places = {};    // i32 [keys]: the row of k and v for each key; not while gradients are recorded
  Dropout dropout = {};  // of the weights
  Lens* lens = nullptr;
  AttentionName name = {};  // for the lens
};
// softmax(scale q k^T + bias) v, head by head, sentence by sentence
Tensor attention(
    const Tensor& q, const Tensor& k, const Tensor& v, const Rows& queries, const Rows& keys,
    const AttentionOptions& options);  // [tokens, heads d] x2, [tokens, heads e] -> [tokens, heads e]
// Bahdanau: sum_j softmax_j(v^T tanh(query_i + key_j)) value_j, fused
Tensor additive_attention(const Tensor& query, const Tensor& key, const Tensor& v, const Tensor& value,
                          const Rows& queries, const Rows& keys, Lens* lens = nullptr,
                          AttentionName name = {});  // [tq, n] [tk, n] [n] [tk, e] -> [tq, e]

// In steps. Energies [pairs] hold, for each query, one number per key of its sentence.
Rows pair_rows(const Rows& queries, const Rows& keys);  // one row per query, as long as its sentence has keys
Tensor additive_energy(const Tensor& query, const Tensor& key, const Tensor& v, const Rows& queries,
                       const Rows& keys);
Tensor dot_energy(const Tensor& query, const Tensor& key, const Rows& queries, const Rows& keys,
                  double scale = 1);
Tensor ragged_softmax(const Tensor& energy, const Rows& rows);  // each row by itself
// Luong et al. 2015, eq. 10: weights_ij exp(-(j - centre_i)^2 / (2 sigma^2)), centre [queries]
Tensor gaussian_weights(const Tensor& weights, const Tensor& centre, const Rows& queries, const Rows& keys,
                        double sigma);
Tensor ragged_mix(const Tensor& weights, const Tensor& value, const Rows& queries, const Rows& keys);

}  // namespace attune
