// Types and functions shared by the kernels of the operation `recurrence`.
#pragma once

#include <memory>

#include "attune/ops/recurrence.h"
#include "ops/recurrence/time_order.h"

namespace attune {

struct Recurrence {
  Cell cell;
  Rows rows;
  bool reverse;
  Tensor x;  // [tokens, in]; inputs and results without their history
  CellWeights weights;
  CellStates initial;  // [sentences, h], or undefined for zeros
  CellStates states;   // [tokens, h]: the result

  // Written by the fast forward pass, and consumed by the fast backward pass. The reference needs neither.
  Tensor gates;  // [tokens in time order, blocks of h]
  std::shared_ptr<const TimeOrder> order;

  int64_t width() const { return weights.recurrent.columns(); }  // h
  int64_t gate_rows() const { return weights.recurrent.rows(); }
};

// Where the gradients are added; undefined where none is needed.
struct RecurrenceGradients {
  Tensor x;
  CellWeights weights;
  CellStates initial;
};

void recurrence_forward_fast(Recurrence& run);
void recurrence_forward_reference(Recurrence& run);

// `outer` holds the gradients of run.states; either may be undefined.
void recurrence_backward_fast(const Recurrence& run, const CellStates& outer,
                              const RecurrenceGradients& gradients);
void recurrence_backward_reference(const Recurrence& run, const CellStates& outer,
                                   const RecurrenceGradients& gradients);

}  // namespace attune
