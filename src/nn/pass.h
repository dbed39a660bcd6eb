// Pass: how a forward pass runs: in training with dropout, each place with numbers of its own; with or
// without a Lens.
#pragma once

#include <optional>
#include <string_view>

#include "attune/ops.h"

namespace attune {

class Pass {
 public:
  Pass() = default;
  explicit Pass(Lens* lens) : lens_(lens) {}
  static Pass training(const Random& random) {
    Pass pass;
    pass.random_ = random;
    return pass;
  }

  // For the next place that drops a share p.
  Dropout dropout(double p) { return random_ ? Dropout{p, random_->stream(next_++)} : Dropout{}; }
  Lens* lens() const { return lens_; }
  // The Lens, if it looks at what is so called.
  Lens* lens(std::string_view name) const { return lens_ != nullptr && lens_->wants(name) ? lens_ : nullptr; }

 private:
  std::optional<Random> random_;
  uint64_t next_ = 0;
  Lens* lens_ = nullptr;
};

}  // namespace attune
