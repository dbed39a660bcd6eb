#include "nn/attention/score.h"

namespace attune {
namespace {

// e_ij = 0: every key counts alike, so attention is the mean of the values; over the edges of a graph much
// like the convolution of Kipf and Welling 2017.
struct Mean final : Score {
  Mean(const Scope&, const ScoreSizes&) {}
  Tensor energy(const Tensor& query, const Tensor&, const Attending& who) const override {
    return Tensor::zeros({pair_rows(who.queries, who.keys).total()}, query.dtype());
  }
};

const RegisterScore<Mean> registered("mean");

}  // namespace
}  // namespace attune
