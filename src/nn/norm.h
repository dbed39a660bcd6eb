// Norms, and where they are applied around a sublayer.
#pragma once

#include <span>

#include "nn/pass.h"
#include "nn/scope.h"

namespace attune {

enum class NormKind : uint8_t { layer, rms };
inline std::span<const char* const> enum_names(NormKind) {
  static constexpr const char* kWords[] = {"layer", "rms"};
  return kWords;
}

// Before the sublayer, or after its result was added to its input (as in Vaswani et al. 2017).
enum class NormPlace : uint8_t { post, pre };
inline std::span<const char* const> enum_names(NormPlace) {
  static constexpr const char* kWords[] = {"post", "pre"};
  return kWords;
}

struct Norm {
  Tensor gamma, beta;  // no beta: RMS norm

  Norm(const Scope& p, NormKind kind, int64_t d)
      : gamma(p.param("gamma", {d}, ones())),
        beta(kind == NormKind::layer ? p.param("beta", {d}, zeros()) : Tensor()) {}

  Tensor operator()(const Tensor& x) const { return beta ? layer_norm(x, gamma, beta) : rms_norm(x, gamma); }
};

// A residual connection around a function f whose result has the shape of its input.
//   post:  norm(x + dropout(f(x)))      pre:  x + dropout(f(norm(x)))
struct Residual {
  Norm norm;
  NormPlace place;
  double dropout;

  template <class F>
  Tensor operator()(const Tensor& x, Pass& pass, const F& f) const {
    if (place == NormPlace::pre) return add(x, attune::dropout(f(norm(x)), pass.dropout(dropout)));
    const Tensor y = f(x);
    return residual_norm(y, x, norm.gamma, norm.beta, pass.dropout(dropout)).normed;
  }
};

}  // namespace attune
