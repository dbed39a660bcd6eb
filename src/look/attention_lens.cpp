#include "look/attention_lens.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attune/error.h"
#include "base/check.h"

namespace attune {
namespace {

view::AttentionKind kind_of(AttentionName name) {
  if (name.kind == AttentionName::cross) return view::AttentionKind::cross;
  return name.stack == AttentionName::encoder ? view::AttentionKind::encoder : view::AttentionKind::decoder;
}

}  // namespace

void AttentionLens::attention(AttentionName name, const Tensor& weights, const Rows& queries,
                              const Rows& keys, int heads) {
  check(queries.count() == 1, "AttentionLens takes one sentence, not {}", queries.count());
  const Tensor numbers = weights.to(DType::f32);
  const auto all = numbers.span<float>();
  if (!std::ranges::all_of(all, [](float x) { return std::isfinite(x); }))
    throw Error(
        fmt::format("the attention {} has numbers that are not finite; the model's training has diverged, or "
                    "its weights are "
                    "damaged",
                    name.str()));
  view::AttentionLayer layer{.kind = kind_of(name), .number = name.layer};
  layer.queries = static_cast<size_t>(queries.total());
  layer.keys = static_cast<size_t>(keys.total());
  const size_t one = layer.queries * layer.keys;
  if (head_) {
    if (*head_ < 0 || *head_ >= heads)
      throw UsageError(fmt::format("there is no head {}: attention {} has the heads 0 to {}", *head_,
                                   name.str(), heads - 1));
    layer.heads = {*head_};
    const auto head = all.subspan(static_cast<size_t>(*head_) * one, one);
    layer.weights.assign(head.begin(), head.end());
  } else if (heads > 1 && static_cast<int64_t>(all.size()) > kMostWeights) {
    layer.weights.resize(one);
    for (size_t i = 0; i < all.size(); ++i) layer.weights[i % one] += all[i] / static_cast<float>(heads);
  } else {
    layer.heads.resize(static_cast<size_t>(heads));
    std::iota(layer.heads.begin(), layer.heads.end(), 0);
    layer.weights.assign(all.begin(), all.end());
  }
  layers_.push_back(std::move(layer));
}

}  // namespace attune
