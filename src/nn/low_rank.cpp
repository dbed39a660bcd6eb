#include "nn/low_rank.h"

#include <cmath>

#include "base/name_pattern.h"
#include "tensor/quantized.h"

namespace attune {

void LowRank::fields(FieldsOf<LowRank> f) {
  f("rank", &LowRank::rank, "numbers between the two matrices of an adapter");
  f("alpha", &LowRank::alpha, "an adapter's output is multiplied by alpha / rank");
  f("places", &LowRank::places, "the layers that have one; none: all linear layers");
}

bool LowRank::covers(std::string_view layer) const { return places.empty() || matches_any(places, layer); }

std::optional<LowRankDelta> LowRankDelta::of(const Scope& p, int64_t in, int64_t out) {
  const LowRank* low_rank = p.low_rank();
  if (low_rank == nullptr || !low_rank->covers(p.name())) return {};
  return LowRankDelta{
      p.param(kLowRankA, {low_rank->rank, in}, uniform(1 / std::sqrt(static_cast<double>(in)))),
      p.param(kLowRankB, {out, low_rank->rank}, zeros()), low_rank->factor()};
}

Tensor merged(const Tensor& weight, const LowRankDelta& delta) {
  const Tensor whole = is_narrow(weight) ? widened(weight) : weight.detach();
  return add(whole, scale(matmul(delta.b.detach(), delta.a.detach()), delta.factor));
}

}  // namespace attune
