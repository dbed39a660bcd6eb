#include "nn/attention/score_dot.h"

#include <cmath>

namespace attune {
namespace {

// Luong et al. 2015, eq. 8:  e_ij = s_i^T h_j
struct Dot final : DotScore {
  static constexpr ScoreTraits kTraits{.one_size = true, .takes_heads = true};

  Dot(const Scope&, const ScoreSizes&) : DotScore(1) {}
};

// Vaswani et al. 2017, eq. 1:  e_ij = s_i^T h_j / sqrt(d)
struct ScaledDot final : DotScore {
  static constexpr ScoreTraits kTraits{.one_size = true, .takes_heads = true};

  ScaledDot(const Scope&, const ScoreSizes& size) : DotScore(1 / std::sqrt(static_cast<double>(size.key))) {}
};

const RegisterScore<Dot> dot("dot");
const RegisterScore<ScaledDot> scaled_dot("scaled_dot");

}  // namespace
}  // namespace attune
