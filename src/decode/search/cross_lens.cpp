#include "decode/search/cross_lens.h"

#include <algorithm>

namespace attune {

void CrossLens::attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                          int heads) {
  if (wants(name)) layers_.push_back({weights, queries, keys, heads});
}

std::vector<std::vector<float>> CrossLens::sum(const Layer& layer, int first, int end, float factor) {
  const Tensor weights = layer.weights.to(DType::f32);
  const float* from = weights.data<float>();
  std::vector<std::vector<float>> rows;
  for (int64_t s = 0; s < layer.queries.count(); ++s) {
    const int64_t queries = layer.queries.length(s), keys = layer.keys.length(s);
    const size_t begin = rows.size();
    rows.resize(begin + static_cast<size_t>(queries), std::vector<float>(static_cast<size_t>(keys)));
    for (int h = 0; h < layer.heads; ++h) {
      if (h < first || h >= end) {
        from += queries * keys;
        continue;
      }
      for (int64_t q = 0; q < queries; ++q)
        for (float& weight : rows[begin + static_cast<size_t>(q)]) weight += *from++ * factor;
    }
  }
  return rows;
}

int64_t CrossLens::nearest(int64_t layer) const {
  return std::clamp<int64_t>(layer < 0 ? layers() + layer : layer, 0, layers() - 1);
}

std::vector<std::vector<float>> CrossLens::mean_of_heads(int64_t layer) const {
  const Layer& chosen = layers_.at(static_cast<size_t>(nearest(layer)));
  return sum(chosen, 0, chosen.heads, 1 / static_cast<float>(chosen.heads));
}

std::vector<std::vector<float>> CrossLens::of_head(int64_t layer, int head) const {
  return sum(layers_.at(static_cast<size_t>(layer)), head, head + 1, 1);
}

}  // namespace attune
