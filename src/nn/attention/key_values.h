// KeyValues: the keys and values of attention, kept from step to step of decoding.
#pragma once

#include <memory>

#include "nn/ragged.h"

namespace attune {

// Decoding adds one row per hypothesis in each step, and hypotheses share their beginnings. So new rows are
// appended after all others, into spare room, and a hypothesis is the list of its rows: selecting hypotheses
// copies row numbers, never keys or values. Rows that no hypothesis uses any more are dropped when the room
// is used up.
struct KeyValues {
  Tensor keys, values;                       // [rows, ..]; undefined while there are none
  Rows rows;                                 // of each sentence
  Tensor places = {};                        // i32 [rows.total()]: where they are; undefined: in order
  std::shared_ptr<int64_t> taken = nullptr;  // rows of keys and values in use, including by copies

  // Appends new tokens to those of each sentence.
  void append(const Tensor& more_keys, const Tensor& more_values, const Rows& more);

  KeyValues select(std::span<const int64_t> sentences) const;

 private:
  void make_room(int64_t more);
};

}  // namespace attune
