#include <cmath>

#include "nn/attention/score.h"
#include "nn/close_lens.h"
#include "nn/layers.h"

namespace attune {
namespace {

// Bahdanau et al. 2015, A.1.2:  e_ij = v^T tanh(W s_i + U h_j)
struct Additive final : Score {
  Linear W, U;
  Tensor v;

  Additive(const Scope& p, const ScoreSizes& size)
      : W(p / "W", size.query, size.hidden),
        U(p / "U", size.key, size.hidden, false),
        v(p.param("v", {size.hidden}, normal(1 / std::sqrt(static_cast<double>(size.hidden))))) {}

  Tensor keys(const Tensor& h) const override { return U(h); }
  Tensor energy(const Tensor& s, const Tensor& Uh, const Attending& who) const override {
    return additive_energy(W(s), Uh, v, who.queries, who.keys);
  }
  Tensor attend(const Tensor& s, const Tensor& Uh, const Tensor& h, const Attending& who) const override {
    if (CloseLens* const lens = CloseLens::of(who.lens))
      lens->inputs(who.name, {W(s), Uh, h, 1, "additive", v, {}, s, W.weight, U.weight});
    if (!who.is_plain()) return Score::attend(s, Uh, h, who);
    return additive_attention(W(s), Uh, v, h, who.queries, who.keys, who.lens, who.name);
  }
};

const RegisterScore<Additive> registered("additive");

}  // namespace
}  // namespace attune
