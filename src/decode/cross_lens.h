// CrossLens: keeps what decoders looked at in the source.
#pragma once

#include <vector>

#include "attune/lens.h"

namespace attune {

class CrossLens final : public Lens {
 public:
  bool wants(std::string_view name) const override { return name == "cross" || name.ends_with(".cross"); }
  void attention(std::string_view name, const Tensor& weights, const Rows& queries, const Rows& keys,
                 int heads) override;

  bool empty() const { return layers_.empty(); }
  // For each query the weights of its source words, averaged over the heads. Layers count from 0, or from the
  // end: -1, -2, ..; where there are not so many it is the nearest one.
  std::vector<std::vector<float>> mean_of_heads(int64_t layer) const;

 private:
  struct Layer {
    Tensor weights;
    Rows queries, keys;
    int heads;
  };
  std::vector<Layer> layers_;
};

}  // namespace attune
