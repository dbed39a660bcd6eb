// Guide: where one attention of a forward pass should look (guided alignment). The pass answers with how far
// off it was.
#pragma once

#include <optional>

#include "attune/ops/attention.h"
#include "ops/loss/alignment_loss.h"

namespace attune {

struct Guide {
  std::optional<AttentionName> attention;  // of several heads it is the first
  Tensor links;                            // [pairs]: 1 where a query should look at a key, else 0
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
