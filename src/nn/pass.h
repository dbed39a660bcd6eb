// Pass: the settings of a forward pass: in training with dropout, with separate random numbers in each place;
// with or without a Lens or a Guide.
#pragma once

#include <optional>

#include "attune/ops.h"
#include "nn/guide.h"

namespace attune {

class Pass {
 public:
  Pass() = default;
  explicit Pass(Lens* lens, Guide* guide = nullptr) : lens_(lens), guide_(guide) {}
  static Pass training(const Random& random, Guide* guide = nullptr) {
    Pass pass(nullptr, guide);
    pass.random_ = random;
    return pass;
  }

  // For the next place that drops a share p.
  Dropout dropout(double p) { return random_ ? Dropout{p, random_->stream(next_++)} : Dropout{}; }
  Lens* lens() const { return lens_; }
  // The Lens, if it wants the attention of this name.
  Lens* lens(AttentionName name) const { return lens_ != nullptr && lens_->wants(name) ? lens_ : nullptr; }

  // The Guide, if it is for the attention of this name.
  Guide* guide(AttentionName name) const {
    return guide_ != nullptr && guide_->attention == name ? guide_ : nullptr;
  }

 private:
  std::optional<Random> random_;
  uint64_t next_ = 0;
  Lens* lens_ = nullptr;
  Guide* guide_ = nullptr;
};

}  // namespace attune
