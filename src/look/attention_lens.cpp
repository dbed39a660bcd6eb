#include "look/attention_lens.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attune/error.h"
#include "base/check.h"

namespace attune {
namespace {

// "encoder.2.self", "decoder.0.cross", or "cross" where there is but one
view::AttentionLayer named(std::string_view name) {
  view::AttentionLayer layer;
  layer.kind = name.ends_with("cross")        ? view::AttentionKind::cross
               : name.starts_with("encoder.") ? view::AttentionKind::encoder
                                              : view::AttentionKind::decoder;
  if (const size_t dot = name.find('.'); dot != std::string_view::npos)
    layer.number = std::stoll(std::string(name.substr(dot + 1)));
  return layer;
}

}  // namespace

void AttentionLens::attention(std::string_view name, const Tensor& weights, const Rows& queries,
                              const Rows& keys, int heads) {
  check(queries.count() == 1, "AttentionLens looks at one sentence, but {} came", queries.count());
  const Tensor numbers = weights.to(DType::f32);
  const auto all = numbers.span<float>();
  if (!std::ranges::all_of(all, [](float x) { return std::isfinite(x); }))
    throw Error(
        fmt::format("the attention {} is not made of finite numbers; the model's training has diverged, or "
                    "its weights are "
                    "damaged",
                    name));
  view::AttentionLayer layer = named(name);
  layer.queries = static_cast<size_t>(queries.total());
  layer.keys = static_cast<size_t>(keys.total());
  const size_t one = layer.queries * layer.keys;
  if (head_) {
    if (*head_ < 0 || *head_ >= heads)
      throw UsageError(
          fmt::format("there is no head {}: attention {} has the heads 0 to {}", *head_, name, heads - 1));
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
