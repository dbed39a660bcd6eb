// The position-wise feed-forward network.
#pragma once

#include <optional>
#include <span>

#include "nn/layers.h"
#include "nn/pass.h"

namespace attune {

enum class FeedForwardKind : uint8_t { relu, gelu, swiglu };
inline std::span<const char* const> enum_names(FeedForwardKind) {
  static constexpr const char* kWords[] = {"relu", "gelu", "swiglu"};
  return kWords;
}

// Vaswani et al. 2017, eq. 2:   relu, gelu:  f(x W1 + b1) W2 + b2
// Shazeer 2020, eq. 6:          swiglu:      (silu(x G) * (x W1)) W2, without biases
struct FeedForward {
  FeedForwardKind kind;
  double dropout;
  Linear in, out;
  std::optional<Linear> gate;

  FeedForward(const Scope& p, FeedForwardKind which, int64_t d, int64_t hidden, double drop)
      : kind(which),
        dropout(drop),
        in(p / "in", d, hidden, which != FeedForwardKind::swiglu),
        out(p / "out", hidden, d, which != FeedForwardKind::swiglu) {
    if (kind == FeedForwardKind::swiglu) gate.emplace(p / "gate", d, hidden, false);
  }

  Tensor operator()(const Tensor& x, Pass& pass) const {
    return out(attune::dropout(hidden(x), pass.dropout(dropout)));
  }

 private:
  Tensor hidden(const Tensor& x) const {
    if (gate) return mul((*gate)(x, Activation::silu), in(x));
    return in(x, kind == FeedForwardKind::relu ? Activation::relu : Activation::gelu);
  }
};

}  // namespace attune
