// The position-wise feed-forward network.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attune/autograd.h"
#include "nn/convolution.h"
#include "nn/layers.h"
#include "nn/pass.h"

namespace attune {

enum class FeedForwardKind : uint8_t { relu, gelu, swiglu, swish, gelu_tanh, conv };
inline std::span<const char* const> enum_names(FeedForwardKind) {
  static constexpr const char* kWords[] = {"relu", "gelu", "swiglu", "swish", "gelu_tanh", "conv"};
  return kWords;
}

struct FeedForwardSizes {
  int64_t d, hidden;
  int64_t layers = 2;  // of weights; all but the last have an activation after them
};

// Vaswani et al. 2017, eq. 2, with relu, gelu, gelu_tanh or swish as f:
//   f(x W1 + b1) W2 + b2, or f(f(x W1 + b1) W2 + b2) W3 + b3, ..
// Shazeer 2020, eq. 6, swiglu:  (silu(x G) * (x W1)) W2, without biases
// Ren et al. 2019, 3.1, conv:  relu([x_{t-1} x_t x_{t+1}] W1 + b1) W2 + b2;  of a causal model, which does
// not know x_{t+1}:  [x_{t-2} x_{t-1} x_t]
struct FeedForward {
  FeedForwardKind kind;
  double dropout;
  std::vector<Linear> layers;
  std::optional<Linear> gate;

  static constexpr int64_t kWidth = 3;  // of conv

  // The sentences that x consists of. `before`, for a causal model: what it has read of them earlier, which
  // is brought up to date while no gradients are recorded.
  struct Sentences {
    const Rows& rows;
    bool causal;
    Tensor& before;
  };

  FeedForward(const Scope& p, FeedForwardKind which, const FeedForwardSizes& sizes, double drop)
      : kind(which), dropout(drop) {
    const bool gated = kind == FeedForwardKind::swiglu;
    for (int64_t i = 1; i < sizes.layers; ++i)
      layers.emplace_back(p / (i == 1 ? "in" : "hidden" + std::to_string(i - 1)),
                          i == 1 ? sizes.d * (kind == FeedForwardKind::conv ? kWidth : 1) : sizes.hidden,
                          sizes.hidden, !gated);
    layers.emplace_back(p / "out", sizes.layers == 1 ? sizes.d : sizes.hidden, sizes.d, !gated);
    if (gated) gate.emplace(p / "gate", sizes.d, sizes.hidden, false);
  }

  Tensor operator()(const Tensor& x, const Sentences& sentences, Pass& pass) const {
    Tensor h = kind == FeedForwardKind::conv ? seen(x, sentences) : x;
    for (size_t i = 0; i + 1 < layers.size(); ++i)
      h = attune::dropout(gate ? mul((*gate)(h, Activation::silu), layers[i](h)) : layers[i](h, activation()),
                          pass.dropout(dropout));
    return layers.back()(h);
  }

 private:
  static Tensor seen(const Tensor& x, const Sentences& in) {
    const Tensor h = neighbours(x, in.rows, kWidth, in.causal ? 0 : kWidth / 2, in.before);
    if (in.causal && !recording(x)) in.before = last_rows(x, in.rows, kWidth - 1, in.before);
    return h;
  }

  Activation activation() const {
    switch (kind) {
      case FeedForwardKind::conv:
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
