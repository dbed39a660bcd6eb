// Low-rank adapters (LoRA; Hu et al. 2021): what a linear layer learns in addition to a weight that stays as
// it is. With A [r, in] and B [out, r]:
//
//   y = f(x W^T + b + alpha/r (x A^T) B^T),   so  W' = W + alpha/r B A
//
// B is zero at first, so an adapter begins by changing nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/ops.h"
#include "config/fields.h"
#include "nn/scope.h"

namespace attune {

constexpr const char *kLowRankA = "lora_a", *kLowRankB = "lora_b";  // beside the `weight` of a layer

// Which layers of a model have one, and how large it is.
struct LowRank {
  int64_t rank = 0;
  double alpha = 0;
  std::vector<std::string> places;  // patterns of the names of layers (base/name_pattern.h); none: all

  static void fields(FieldsOf<LowRank> f);
  double factor() const { return alpha / static_cast<double>(rank); }
  bool covers(std::string_view layer) const;
};

struct LowRankDelta {
  Tensor a, b;
  double factor;

  Tensor operator()(const Tensor& x) const { return linear(scale(linear(x, a), factor), b); }

  // Of a layer that is made in this scope; nothing if it has none.
  static std::optional<LowRankDelta> of(const Scope& p, int64_t in, int64_t out);
};

// W + factor B A
Tensor merged(const Tensor& weight, const LowRankDelta& delta);

}  // namespace attune
