// Local attention (Luong et al. 2015, 3.2): target word t sees the source words within D of a centre p_t.
#include <algorithm>
#include <cmath>

#include "nn/attention/visibility.h"
#include "nn/layers.h"
#include "tensor/dispatch.h"

namespace attune {
namespace {

// i32 [queries], each limited to the keys of its sentence.
template <class Centre>
Tensor centres(const Attending& who, const Centre& centre) {
  const Tensor all({who.queries.total()}, DType::i32);
  for (int64_t s = 0; s < who.queries.count(); ++s)
    for (int64_t i = who.queries.begin(s); i < who.queries.end(s); ++i)
      all.data<int32_t>()[i] = static_cast<int32_t>(
          std::clamp<int64_t>(centre(i), 0, std::max<int64_t>(who.keys.length(s) - 1, 0)));
  return all;
}

// local-m:  p_t = t
struct Monotonic final : Visibility {
  static constexpr VisibilityTraits kTraits{.cross = true, .has_window = true};

  int64_t window;

  Monotonic(const Scope&, const VisibilitySizes& sizes) : window(sizes.window) {}
  void narrow(Attending& who, const Tensor&) const override {
    who.centres = centres(who, [&](int64_t i) { return who.positions.data<int32_t>()[i]; });
    who.sees = {window, window};
  }
};

// local-p:  p_t = S sigmoid(v^T tanh(W q_t)) for S source words; the weights are multiplied by a Gaussian
// around p_t with the deviation D / 2
struct Predicted final : Visibility {
  static constexpr VisibilityTraits kTraits{.cross = true, .has_window = true};

  Linear W, v;
  int64_t window;

  Predicted(const Scope& p, const VisibilitySizes& sizes)
      : W(p / "W", sizes.query, sizes.query, false),
        v(p / "v", sizes.query, 1, false),
        window(sizes.window) {}

  void narrow(Attending& who, const Tensor& query) const override {
    const Tensor lengths({who.queries.total()}, DType::f64);
    for (int64_t s = 0; s < who.queries.count(); ++s)
      std::fill_n(lengths.data<double>() + who.queries.begin(s), who.queries.length(s),
                  static_cast<double>(who.keys.length(s)));
    const Tensor share = v(W(query, Activation::tanh), Activation::sigmoid);
    who.gaussian = mul(reshape(share, {share.rows()}), lengths.to(share.dtype()));
    who.sigma = static_cast<double>(window) / 2;
    who.centres = dispatch(share.dtype(), [&]<class T>() {
      return centres(who, [&](int64_t i) { return std::llround(who.gaussian.data<T>()[i]); });
    });
    who.sees = {window, window};
  }
};

const RegisterVisibility<Monotonic> monotonic("local-m");
const RegisterVisibility<Predicted> predicted("local-p");

}  // namespace
}  // namespace attune
