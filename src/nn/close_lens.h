// CloseLens: a Lens that also sees what the weights were computed from, and what layers hand on.
#pragma once

#include <string>

#include "attune/lens.h"

namespace attune {

// What the weights of an attention were computed from, all heads side by side in the columns.
struct AttentionInputs {
  Tensor queries, keys, values;  // [tokens, d]
  int heads = 1;
  std::string score = {};  // scaled_dot: q . k / sqrt(d / heads); dot: q . k; additive: v^T tanh(q + k)
  Tensor v = {};           // of an additive score
  Tensor out = {};         // [d_out, d]: what the mixed values are multiplied by, if there is such a layer
};

class CloseLens : public Lens {
 public:
  // Comes before the weights, for scores that can be told in this form.
  virtual void inputs(AttentionName name, const AttentionInputs& inputs) = 0;
  // x [tokens, d]: what a stack would give if it ended after that layer; -1: before the first one.
  virtual void state(AttentionName::Stack /*stack*/, int64_t /*layer*/, const Tensor& /*x*/) {}

  // The lens, if it is one.
  static CloseLens* of(Lens* lens) { return dynamic_cast<CloseLens*>(lens); }
};

}  // namespace attune
