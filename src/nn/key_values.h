// KeyValues: what attention reads, kept from step to step of decoding.
#pragma once

#include <memory>

#include "nn/ragged.h"

namespace attune {

// Decoding adds a row a hypothesis in each step, and its hypotheses share their beginnings. So new rows go
// behind all others, into room that is kept for them, and a hypothesis is the list of its rows: choosing
// among hypotheses moves numbers of rows, never keys or values. Rows that no hypothesis has any more vanish
// when the room is used up.
struct KeyValues {
  Tensor keys, values;                       // [rows, ..], undefined while there are none
  Rows rows;                                 // how many each sentence has
  Tensor places = {};                        // i32 [rows.total()]: where they lie; undefined: in order
  std::shared_ptr<int64_t> taken = nullptr;  // how many rows of keys and values are in use, also by copies

  // New tokens behind those of each sentence.
  void append(const Tensor& more_keys, const Tensor& more_values, const Rows& more);

  KeyValues select(std::span<const int64_t> sentences) const;

 private:
  void make_room(int64_t more);
};

}  // namespace attune
