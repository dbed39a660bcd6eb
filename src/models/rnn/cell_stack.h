// Layers of transition cells that read whole sentences, for encoders.
#pragma once

#include <vector>

#include "nn/pass.h"
#include "nn/ragged.h"
#include "nn/transition_cell.h"

namespace attune {

// The cells of one layer; all but the first have no input.
std::vector<TransitionCell> deep_cell(const Scope& p, const CellShape& shape, int64_t in,
                                      int64_t transitions);

// a for the first cell -> the state after all cells.
CellStates step(std::span<const TransitionCell> cells, const Tensor& a, CellStates state);

// Zeros, [sentences, h].
CellStates zero_states(int64_t sentences, int64_t h, Cell cell, DType dtype);

struct CellStack {
  CellShape shape;
  std::vector<std::vector<TransitionCell>> layers;
  bool residual;

  struct Sizes {
    int64_t layers, in, transitions;
  };
  CellStack(const Scope& p, const CellShape& shape, const Sizes& sizes, bool with_residual);

  struct Direction {
    bool reverse = false;      // of the first layer
    bool alternating = false;  // the next layers change it
  };
  // x [tokens, in] -> the top layer's states [tokens, h], with dropout between layers
  Tensor operator()(const Tensor& x, const Rows& rows, Direction direction, double dropout, Pass& pass) const;
};

}  // namespace attune
