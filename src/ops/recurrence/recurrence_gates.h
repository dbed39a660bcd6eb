// The gates of one token of a recurrence in f32, vectorised: from sums to states, and back from gradients of
// states to gradients of sums. A token's numbers are blocks of h:
//   rnn [h']     gru [r z q n]     lstm [i f g o]
// where q = U_n h + b_hn. The blocks that the recurrent product adds to come first.
#pragma once

#include <cstdint>

#include "attune/ops/recurrence.h"

namespace attune {

inline int64_t gate_blocks(Cell cell) { return cell == Cell::gru ? 4 : gates(cell); }

struct GatesForward {
  float* gates;       // [blocks h]: W x + U h becomes the activations (and q)
  const float* bias;  // [blocks h]
  float* h;           // [h]: the previous state becomes the new one
  float* c;           // lstm only
};
void gates_forward(Cell cell, const GatesForward& token, int64_t h);

struct GatesBackward {
  float* gates;           // [blocks h]: the activations become the gradients of the sums
  const float* h_before;  // [h]
  const float* c_before;  // lstm only
  const float* c_after;   // lstm only
  const float* dh_outer;  // [h]: the gradient of this token's result
  const float* dc_outer;  // lstm only
  float* dh;              // [h]: the gradient from later steps becomes the part that gru passes on as z dh
  float* dc;              // lstm only: the same, and all that reaches the previous c
};
void gates_backward(Cell cell, const GatesBackward& token, int64_t h);

}  // namespace attune
