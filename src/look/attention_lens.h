// AttentionLens: keeps every attention matrix of one sentence.
#pragma once

#include <optional>
#include <vector>

#include "attune/lens.h"
#include "view/attention.h"

namespace attune {

class AttentionLens final : public Lens {
 public:
  // If its heads together have more weights, a layer is kept as their mean, unless a single head is wanted.
  static constexpr int64_t kMostWeights = 4'000'000;

  explicit AttentionLens(std::optional<int64_t> head = {}) : head_(head) {}

  void attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                 int heads) override;

  const std::vector<view::AttentionLayer>& layers() const { return layers_; }

 private:
  std::optional<int64_t> head_;
  std::vector<view::AttentionLayer> layers_;
};

}  // namespace attune
