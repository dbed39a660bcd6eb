// The factors of dropout: 0 with probability p, otherwise 1 / (1 - p). The factor of a row and column is a
// function of the stream alone, so any kernel can recompute it in its backward pass, in any order and vector
// width.
#pragma once

#include <cstdint>

#include "attune/ops/elementwise.h"

namespace attune {

// Factors are computed in blocks of this many columns.
inline constexpr int64_t kDropoutBlock = 128;

double dropout_factor(const Dropout& dropout, int64_t row, int64_t column);

// factors[0 .. count) for the columns begin .. begin + count of a row; begin is a multiple of kDropoutBlock.
// Writes whole blocks: `factors` has room for count rounded up.
void dropout_factors(const Dropout& dropout, int64_t row, int64_t begin, int64_t count, float* factors);

inline int64_t whole_dropout_blocks(int64_t columns) {
  return (columns + kDropoutBlock - 1) / kDropoutBlock * kDropoutBlock;
}

void check_dropout(std::string_view op, const Dropout& dropout);

}  // namespace attune
