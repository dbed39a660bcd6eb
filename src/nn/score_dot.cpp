#include "nn/score_dot.h"

#include <cmath>

#include "attune/error.h"
#include "base/check.h"

namespace attune {

void check_same_size(std::string_view score, const ScoreSizes& size) {
  if (size.query != size.key)
    throw UsageError(
        fmt::format("attention: the score '{}' needs queries and keys of one size, but they have {} and "
                    "{}; 'general' and 'additive' take any sizes",
                    score, size.query, size.key));
}

namespace {

// Luong et al. 2015, eq. 8:  e_ij = s_i^T h_j
struct Dot final : DotScore {
  Dot(const Scope&, const ScoreSizes& size) : DotScore(1) { check_same_size("dot", size); }
  bool takes_heads() const override { return true; }
};

// Vaswani et al. 2017, eq. 1:  e_ij = s_i^T h_j / sqrt(d)
struct ScaledDot final : DotScore {
  ScaledDot(const Scope&, const ScoreSizes& size) : DotScore(1 / std::sqrt(static_cast<double>(size.key))) {
    check_same_size("scaled_dot", size);
  }
  bool takes_heads() const override { return true; }
};

const RegisterScore<Dot> dot("dot");
const RegisterScore<ScaledDot> scaled_dot("scaled_dot");

}  // namespace
}  // namespace attune
