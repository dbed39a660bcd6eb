// Layers of recurrence, one above the other, for encoders and decoders.
#pragma once

#include <vector>

#include "nn/layers.h"

namespace attune {

// The chosen rows of x, in that order; rows may come several times.
inline Tensor take_rows(const Tensor& x, std::span<const int64_t> rows) {
  std::vector<int32_t> ids(rows.begin(), rows.end());
  return embedding(x, Tensor::of<int32_t>({static_cast<int64_t>(ids.size())}, ids));
}

// The states of some sentences, [sentences, h].
inline CellStates take_rows(const CellStates& states, std::span<const int64_t> rows) {
  return {take_rows(states.h, rows), states.c ? take_rows(states.c, rows) : Tensor()};
}

// Of a result for all tokens, the state after each sentence's last (or, reversed, first) token: [sentences,
// h]. No sentence is empty.
CellStates final_states(const CellStates& all, const Rows& rows, bool reverse = false);

struct RecurrentStack {
  std::vector<Recurrent> layers;
  bool residual;

  RecurrentStack(const Scope& p, Cell cell, int64_t count, int64_t in, int64_t h, bool with_residual);

  // One dropout a gap between layers, made by `dropped`.
  using Dropped = std::function<Tensor(const Tensor&)>;

  // Reads all tokens; `states` (one a layer, [sentences, h] or undefined for zeros) become those after the
  // last token. Returns the top layer's states [tokens, h].
  Tensor operator()(const Tensor& x, const Rows& rows, std::vector<CellStates>& states,
                    const Dropped& dropped) const;
};

}  // namespace attune
