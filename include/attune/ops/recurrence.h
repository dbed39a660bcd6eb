// Recurrence over ragged sequences.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "attune/rows.h"
#include "attune/tensor.h"

namespace attune {

enum class Cell : uint8_t { rnn, gru, lstm };
std::string_view name(Cell cell);
int gates(Cell cell);  // 1; 3 (r, z, n); 4 (i, f, g, o)
struct CellWeights {
  Tensor input;                                         // [gates h, in]
  Tensor recurrent;                                     // [gates h, h]
  Tensor input_bias;                                    // [gates h]
  Tensor recurrent_bias;                                // [gates h]
  std::shared_ptr<struct SharedCell> shared = nullptr;  // by repeated()
};
// The same weights for many calls, one step each: packed once, and their gradient is one product for all
// calls.
CellWeights repeated(Cell cell, const CellWeights& weights);
struct CellStates {
  Tensor h;  // [tokens, h], or [sentences, h] as the initial state
  Tensor c;  // lstm only
};
CellStates recurrence(Cell cell, const Tensor& x, const Rows& rows, const CellWeights& weights,
                      const CellStates& initial = {}, bool reverse = false);

}  // namespace attune
