// HeadLens: combines the attention of heads that ran one after another into the one call that a Lens expects.
#pragma once

#include <vector>

#include "attune/lens.h"

namespace attune {

class HeadLens final : public Lens {
 public:
  void attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                 int heads) override;
  void show(Lens& lens, AttentionName name) const;

 private:
  std::vector<Tensor> heads_;
  Rows queries_, keys_;
};

}  // namespace attune
