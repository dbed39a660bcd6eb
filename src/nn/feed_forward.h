// The position-wise feed-forward network.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/layers.h"
#include "nn/pass.h"

namespace attune {

enum class FeedForwardKind : uint8_t { relu, gelu, swiglu, swish, gelu_tanh };
inline std::span<const char* const> enum_names(FeedForwardKind) {
  static constexpr const char* kWords[] = {"relu", "gelu", "swiglu", "swish", "gelu_tanh"};
  return kWords;
}

struct FeedForwardSizes {
  int64_t d, hidden;
  int64_t layers = 2;  // of weights; all but the last have an activation after them
};

// Vaswani et al. 2017, eq. 2, with relu, gelu, gelu_tanh or swish as f:
//   f(x W1 + b1) W2 + b2, or f(f(x W1 + b1) W2 + b2) W3 + b3, ..
// Shazeer 2020, eq. 6, swiglu:  (silu(x G) * (x W1)) W2, without biases
struct FeedForward {
  FeedForwardKind kind;
  double dropout;
  std::vector<Linear> layers;
  std::optional<Linear> gate;

  FeedForward(const Scope& p, FeedForwardKind which, const FeedForwardSizes& sizes, double drop)
      : kind(which), dropout(drop) {
    const bool gated = kind == FeedForwardKind::swiglu;
    for (int64_t i = 1; i < sizes.layers; ++i)
      layers.emplace_back(p / (i == 1 ? "in" : "hidden" + std::to_string(i - 1)),
                          i == 1 ? sizes.d : sizes.hidden, sizes.hidden, !gated);
    layers.emplace_back(p / "out", sizes.layers == 1 ? sizes.d : sizes.hidden, sizes.d, !gated);
    if (gated) gate.emplace(p / "gate", sizes.d, sizes.hidden, false);
  }

  Tensor operator()(const Tensor& x, Pass& pass) const {
    Tensor h = x;
    for (size_t i = 0; i + 1 < layers.size(); ++i)
      h = attune::dropout(gate ? mul((*gate)(h, Activation::silu), layers[i](h)) : layers[i](h, activation()),
                          pass.dropout(dropout));
    return layers.back()(h);
  }

 private:
  Activation activation() const {
    switch (kind) {
      case FeedForwardKind::relu: return Activation::relu;
      case FeedForwardKind::gelu: return Activation::gelu;
      case FeedForwardKind::gelu_tanh: return Activation::gelu_tanh;
      case FeedForwardKind::swish:
      case FeedForwardKind::swiglu: break;
    }
    return Activation::silu;
  }
};

}  // namespace attune
