// The weights of a recurrent cell in f32: their parts, their gradients, and the data that calls with the same
// weights share.
#pragma once

#include <vector>

#include "attune/ops/recurrence.h"
#include "ops/product/product_form.h"

namespace attune {

// Gates that W x adds to: rows [gate, gate + count) of W go to columns [column, column + count) of the
// blocks.
struct InputPart {
  int64_t gate, column, count;
};
std::vector<InputPart> input_parts(Cell cell, int64_t h);

// The factors of the weights' gradients, one row per token.
struct CellRows {
  Tensor gates;  // [tokens, blocks of h]: the gradients of the sums
  Tensor h;      // [tokens, h]: the previous states
  Tensor x;      // [tokens, in]
};
// dW += gates^T x and dU += gates^T h; either may be undefined.
void add_weight_gradients(Cell cell, const CellRows& rows, const Tensor& dw, const Tensor& du,
                          Precision precision);

// Weights that are packed once for many calls. Their gradients wait until the backward pass has gone through
// all of the calls, and are then one product instead of one per call.
struct SharedCell {
  Cell cell;
  Precision precision;
  std::vector<std::shared_ptr<const ProductForm>> input, input_transposed;  // of each part
  std::shared_ptr<const ProductForm> recurrent, recurrent_transposed;
  std::vector<CellRows> waiting;

  SharedCell(Cell which, const CellWeights& weights);
  // The gradients of everything that waits.
  void add_gradients(const Tensor& dw, const Tensor& du);
};

}  // namespace attune
