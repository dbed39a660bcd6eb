// Norms, and where they are applied around a sublayer.
#pragma once

#include <optional>
#include <span>

#include "nn/pass.h"
#include "nn/scope.h"

namespace attune {

enum class NormKind : uint8_t { layer, rms };
inline std::span<const char* const> enum_names(NormKind) {
  static constexpr const char* kWords[] = {"layer", "rms"};
  return kWords;
}

// Before the sublayer, or after its result was added to its input (as in Vaswani et al. 2017), or nowhere.
enum class NormPlace : uint8_t { post, pre, none };
inline std::span<const char* const> enum_names(NormPlace) {
  static constexpr const char* kWords[] = {"post", "pre", "none"};
  return kWords;
}

// Whether a norm follows the last layer.
enum class FinalNorm : uint8_t { if_pre, yes, no };
inline std::span<const char* const> enum_names(FinalNorm) {
  static constexpr const char* kWords[] = {"auto", "true", "false"};
  return kWords;
}

struct Norm {
  Tensor gamma, beta;  // no beta: RMS norm
  double epsilon;

  Norm(const Scope& p, NormKind kind, int64_t d, double eps)
      : gamma(p.param("gamma", {d}, ones())),
        beta(kind == NormKind::layer ? p.param("beta", {d}, zeros()) : Tensor()),
        epsilon(eps) {}

  Tensor operator()(const Tensor& x) const {
    return beta ? layer_norm(x, gamma, beta, epsilon) : rms_norm(x, gamma, epsilon);
  }
};

// A residual connection around a function f whose result has the shape of its input.
//   post:  norm(x + dropout(f(x)))    pre:  x + dropout(f(norm(x)))    none:  x + dropout(f(x))
struct Residual {
  std::optional<Norm> norm;
  NormPlace place;
  double dropout;
  bool adds;  // false: without x +

  template <class F>
  Tensor operator()(const Tensor& x, Pass& pass, const F& f) const {
    const Tensor y = f(place == NormPlace::pre ? (*norm)(x) : x);
    if (place == NormPlace::post && adds)
      return residual_norm(y, x, norm->gamma, norm->beta, pass.dropout(dropout), norm->epsilon).normed;
    const Tensor dropped = attune::dropout(y, pass.dropout(dropout));
    if (place == NormPlace::post) return (*norm)(dropped);
    return adds ? add(x, dropped) : dropped;
  }
};

}  // namespace attune
