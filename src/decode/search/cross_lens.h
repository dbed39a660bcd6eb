// CrossLens: records the attention of decoders to the source.
#pragma once

#include <vector>

#include "attune/lens.h"

namespace attune {

class CrossLens final : public Lens {
 public:
  bool wants(AttentionName name) const override { return name.kind == AttentionName::cross; }
  void attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                 int heads) override;

  bool empty() const { return layers_.empty(); }
  int64_t layers() const { return static_cast<int64_t>(layers_.size()); }
  int heads(int64_t layer) const { return layers_.at(static_cast<size_t>(layer)).heads; }

  // For each query, the weights of its source words, averaged over the heads. Layers count from 0, or from
  // the end: -1, -2, ..; out of range, the nearest one.
  std::vector<std::vector<float>> mean_of_heads(int64_t layer) const;
  // The same for one head. Both count from 0.
  std::vector<std::vector<float>> of_head(int64_t layer, int head) const;

  // Converts a layer number that may count from the end.
  int64_t nearest(int64_t layer) const;

 private:
  struct Layer {
    Tensor weights;
    Rows queries, keys;
    int heads;
  };
  // The sum over the heads [first, end), times `factor`.
  static std::vector<std::vector<float>> sum(const Layer& layer, int first, int end, float factor);

  std::vector<Layer> layers_;
};

}  // namespace attune
