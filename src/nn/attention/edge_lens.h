// EdgeLens: shows attention along edges as attention of every node to all nodes of its graph.
#pragma once

#include "attune/lens.h"
#include "nn/ragged.h"

namespace attune {

class EdgeLens final : public Lens {
 public:
  // `nodes`: how many each graph has.
  EdgeLens(Lens& lens, const Rows& nodes, const Edges& edges) : lens_(lens), nodes_(nodes), edges_(edges) {}

  void attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                 int heads) override;

 private:
  Lens& lens_;
  Rows nodes_;
  const Edges& edges_;
};

}  // namespace attune
