#include "nn/attention/score_dot.h"
#include "nn/layers.h"

namespace attune {
namespace {

// Luong et al. 2015, eq. 8:  e_ij = s_i^T W h_j
struct General final : DotScore {
  Linear W;

  General(const Scope& p, const ScoreSizes& size) : DotScore(1), W(p / "W", size.key, size.query, false) {}

  Tensor keys(const Tensor& h) const override { return W(h); }
};

const RegisterScore<General> registered("general");

}  // namespace
}  // namespace attune
