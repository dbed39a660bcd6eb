// CloseLens: a Lens that also sees what the weights were computed from, and what layers hand on; and that may
// change what it sees.
#pragma once

#include <string>

#include "attune/lens.h"
#include "attune/ops/recurrence.h"
#include "nn/attention/edits.h"

namespace attune {

// What the weights of an attention were computed from, all heads side by side in the columns.
struct AttentionInputs {
  Tensor queries, keys, values;  // [tokens, d]
  int heads = 1;
  std::string score = {};  // scaled_dot: q . k / sqrt(d / heads); dot: q . k; additive: v^T tanh(q + k)
  Tensor v = {};           // of an additive score
  Tensor out = {};         // [d_out, d]: what the mixed values are multiplied by, if there is such a layer
  // What queries are computed from, and the matrices of queries, keys and values (of the additive score: W
  // and U), as far as the model has them in this form.
  Tensor x = {}, query_weight = {}, key_weight = {}, value_weight = {};
};

// A recurrent layer of a stack, in one of its directions.
struct RecurrentName {
  AttentionName::Stack stack = AttentionName::decoder;
  int64_t layer = 0;
  bool backward = false;

  bool operator==(const RecurrentName&) const = default;
};

// What its gates let through, a row for each token of one sentence.
struct GateValues {
  Cell cell = Cell::gru;
  Tensor gates = {};        // [tokens, gates h], in the order of the cell
  Tensor before = {};       // [tokens, h]: the states before each token
  Tensor cell_before = {};  // the same of c; lstm only
};

class CloseLens : public Lens {
 public:
  // Comes before the weights, for scores that can be told in this form.
  virtual void inputs(AttentionName name, const AttentionInputs& inputs) = 0;
  // x [tokens, d]: what a stack would give if it ended after that layer; -1: before the first one.
  virtual void state(AttentionName::Stack /*stack*/, int64_t /*layer*/, const Tensor& /*x*/) {}

  // The vectors of the tokens that a stack reads, before anything else is done with them; it goes on with
  // what is returned.
  virtual Tensor embedded(AttentionName::Stack /*stack*/, const Tensor& x) { return x; }
  static Tensor embedded(Lens* lens, AttentionName::Stack stack, const Tensor& x) {
    CloseLens* const close = of(lens);
    return close != nullptr ? close->embedded(stack, x) : x;
  }
  // In several calls, as the tokens come.
  virtual void gates(const RecurrentName& /*name*/, const GateValues& /*values*/) {}

  // By which the weights are changed before values are mixed; null: they stay as they are.
  virtual const AttentionEdits* edits(AttentionName /*name*/) const { return nullptr; }
  static const AttentionEdits* edits(Lens* lens, AttentionName name) {
    const CloseLens* const close = of(lens);
    return close != nullptr ? close->edits(name) : nullptr;
  }

  // The lens, if it is one.
  static CloseLens* of(Lens* lens) { return dynamic_cast<CloseLens*>(lens); }
};

}  // namespace attune
