#include <array>
#include <cmath>

#include "nn/attention/score.h"
#include "nn/layers.h"

namespace attune {
namespace {

// Luong et al. 2015, eq. 8:  e_ij = v^T tanh(W [s_i; h_j]), with W = [W_s, W_h] so that W_h h_j is computed
// once
struct Concat final : Score {
  Tensor W, v;
  std::array<int64_t, 2> sizes;

  Concat(const Scope& p, const ScoreSizes& size)
      : W(p.param("W", {size.hidden, size.query + size.key}, glorot())),
        v(p.param("v", {size.hidden}, normal(1 / std::sqrt(static_cast<double>(size.hidden))))),
        sizes{size.query, size.key} {}

  Tensor part(size_t index) const { return split_columns(W, sizes)[index]; }

  Tensor keys(const Tensor& h) const override { return linear(h, part(1)); }
  Tensor energy(const Tensor& s, const Tensor& Wh, const Attending& who) const override {
    return additive_energy(linear(s, part(0)), Wh, v, who.queries, who.keys);
  }
  Tensor attend(const Tensor& s, const Tensor& Wh, const Tensor& h, const Attending& who) const override {
    if (!who.is_plain()) return Score::attend(s, Wh, h, who);
    return additive_attention(linear(s, part(0)), Wh, v, h, who.queries, who.keys, who.lens, who.name);
  }
};

const RegisterScore<Concat> registered("concat");

}  // namespace
}  // namespace attune
