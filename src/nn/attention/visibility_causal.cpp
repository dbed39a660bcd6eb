#include "nn/attention/visibility.h"

namespace attune {
namespace {

// A token sees those before it and itself, as in every decoder.
struct Causal final : Visibility {
  static constexpr VisibilityTraits kTraits{.self = true};

  Causal(const Scope&, const VisibilitySizes&) {}
  void narrow(Attending& who, const Tensor&) const override { who.sees.ahead = 0; }
};

const RegisterVisibility<Causal> registered("causal");

}  // namespace
}  // namespace attune
