#include "nn/attention/score.h"
#include "nn/layers.h"
#include "ops/pointwise/elu.h"

namespace attune {
namespace {

// Velickovic et al. 2018, eq. 3:  e_ij = LeakyReLU(a^T [q_i; k_j]) = LeakyReLU(u^T q_i + w^T k_j), with a =
// [u; w] so that w^T k_j is computed once
struct Leaky final : Score {
  Tensor u, w;

  Leaky(const Scope& p, const ScoreSizes& size)
      : u(p.param("u", {1, size.query}, glorot())), w(p.param("w", {1, size.key}, glorot())) {}

  Tensor keys(const Tensor& k) const override { return linear(k, w); }
  // The sum of two numbers as a product:  x + y = [x, 1] . [1, y]
  Tensor energy(const Tensor& q, const Tensor& wk, const Attending& who) const override {
    const Tensor uq = linear(q, u);
    const auto ones = [](const Tensor& like) { return Tensor::full(like.shape(), 1, like.dtype()); };
    return leaky_relu(
        dot_energy(concat_columns({uq, ones(uq)}), concat_columns({ones(wk), wk}), who.queries, who.keys));
  }
};

const RegisterScore<Leaky> registered("leaky");

}  // namespace
}  // namespace attune
