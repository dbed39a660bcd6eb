#include <algorithm>

#include "nn/attention/visibility.h"

namespace attune {
namespace {

// Beltagy et al. 2020, 3.1:  token i sees the tokens i - w .. i + w, and in a decoder i - w .. i
struct Window final : Visibility {
  static constexpr VisibilityTraits kTraits{.self = true, .has_window = true};

  int64_t window;

  Window(const Scope&, const VisibilitySizes& sizes) : window(sizes.window) {}
  void narrow(Attending& who, const Tensor&) const override {
    who.sees = {std::min(who.sees.back, window), std::min(who.sees.ahead, window)};
  }
};

const RegisterVisibility<Window> registered("window");

}  // namespace
}  // namespace attune
