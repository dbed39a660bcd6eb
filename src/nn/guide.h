// Guide: where one attention of a forward pass should look (guided alignment). The pass sets the loss.
#pragma once

#include <optional>

#include "attune/ops/attention.h"
#include "ops/loss/alignment_loss.h"

namespace attune {

struct Guide {
  std::optional<AttentionName> attention;  // with several heads, the first one
  Tensor links;                            // [pairs]: 1 where a query should attend to a key, otherwise 0
  AlignmentCost cost = AlignmentCost::ce;
  Tensor loss = {};  // set by the pass

  void compare(const Tensor& energy, const Rows& queries, const Rows& keys) {
    compare(energy, links, queries, keys);
  }
  // With the links in the order in which the model reads.
  void compare(const Tensor& energy, const Tensor& ordered, const Rows& queries, const Rows& keys) {
    loss = alignment_loss(energy, ordered.to(energy.dtype()), pair_rows(queries, keys), cost);
  }
};

}  // namespace attune
