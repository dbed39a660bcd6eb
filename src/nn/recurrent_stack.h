// Stacked recurrent layers, for encoders and decoders.
#pragma once

#include <vector>

#include "nn/layers.h"
#include "nn/pass.h"
#include "nn/ragged.h"

namespace attune {

// The states of some sentences, [sentences, h].
inline CellStates take_rows(const CellStates& states, std::span<const int64_t> rows) {
  return {take_rows(states.h, rows), states.c ? take_rows(states.c, rows) : Tensor()};
}

// The state after each sentence's last (or, reversed, first) token, from a result for all tokens: [sentences,
// h]. No sentence may be empty.
CellStates final_states(const CellStates& all, const Rows& rows, bool reverse = false);

struct RecurrentStack {
  std::vector<Recurrent> layers;
  bool residual;

  RecurrentStack(const Scope& p, Cell cell, int64_t count, int64_t in, int64_t h, bool with_residual);

  // The same layers for many calls; see repeated() in ops.h.
  RecurrentStack for_steps() const;

  // Reads all tokens, with dropout between layers; `states` (one per layer, [sentences, h] or undefined for
  // zeros) become those after the last token. Returns the top layer's states [tokens, h].
  Tensor operator()(const Tensor& x, const Rows& rows, std::vector<CellStates>& states, double dropout,
                    Pass& pass) const;
};

}  // namespace attune
