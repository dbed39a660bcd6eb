#include "decode/cross_lens.h"

#include <algorithm>

namespace attune {

void CrossLens::attention(std::string_view name, const Tensor& weights, const Rows& queries, const Rows& keys,
                          int heads) {
  if (wants(name)) layers_.push_back({weights, queries, keys, heads});
}

std::vector<std::vector<float>> CrossLens::mean_of_heads(int64_t layer) const {
  const auto count = static_cast<int64_t>(layers_.size());
  const Layer& chosen =
      layers_[static_cast<size_t>(std::clamp<int64_t>(layer < 0 ? count + layer : layer, 0, count - 1))];
  const Tensor weights = chosen.weights.to(DType::f32);
  const float* from = weights.data<float>();
  std::vector<std::vector<float>> rows;
  for (int64_t s = 0; s < chosen.queries.count(); ++s) {
    const int64_t queries = chosen.queries.length(s), keys = chosen.keys.length(s);
    const size_t first = rows.size();
    rows.resize(first + static_cast<size_t>(queries), std::vector<float>(static_cast<size_t>(keys)));
    for (int h = 0; h < chosen.heads; ++h)
      for (int64_t q = 0; q < queries; ++q)
        for (float& weight : rows[first + static_cast<size_t>(q)])
          weight += *from++ / static_cast<float>(chosen.heads);
  }
  return rows;
}

}  // namespace attune
