// Positions: attention sees a set of tokens; positions tell it their order.
#pragma once

#include <span>

#include "nn/ragged.h"
#include "nn/scope.h"

namespace attune {

enum class PositionKind : uint8_t { none, sinusoidal, learned, rotary, alibi };
std::span<const char* const> enum_names(PositionKind);

// Vaswani et al. 2017, 3.5:  PE(pos, 2i) = sin(pos / 10000^(2i/d)),  PE(pos, 2i+1) = cos(the same)
Tensor sinusoidal_table(int64_t positions, int64_t d);
// Su et al. 2021:  the cosines, then the sines, of pos / 10000^(2i/d), i < d/2
Tensor rotary_table(int64_t positions, int64_t d);
// Press et al. 2022, 3:  2^(-8 h / heads) for h = 1 .. heads; interpolated if heads is not a power of two
Tensor alibi_slopes(int64_t heads);

class Positions {
 public:
  Positions(const Scope& p, PositionKind kind, int64_t limit, int64_t d, int64_t heads);

  // The positions of tokens that follow `before`, i32 [tokens]. Throws if a sentence exceeds the limit.
  Tensor of(const Rows& before, const Rows& tokens) const;

  Tensor added(const Tensor& x, const Tensor& positions) const;    // sinusoidal, learned: x + PE
  Tensor rotated(const Tensor& x, const Tensor& positions) const;  // rotary: queries and keys
  int64_t limit() const { return limit_; }                         // the most positions of a sentence
  const Tensor& slopes() const { return slopes_; }                 // alibi; otherwise undefined

 private:
  PositionKind kind_;
  int64_t limit_;
  Tensor table_;  // sinusoidal, learned [limit, d]; rotary [limit, d / heads]
  Tensor slopes_;
};

}  // namespace attune
