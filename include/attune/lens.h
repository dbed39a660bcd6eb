// Lens: looks into a forward pass. A pass with a Lens hands over every attention matrix; without one the fast
// kernels never build them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "attune/rows.h"
#include "attune/tensor.h"

namespace attune {

// Names an attention of a model: its layer, and whether it attends to its own sequence or across, to the
// source. The only attention of an RNN is that of its decoder's layer 0, across.
struct AttentionName {
  enum Stack : uint8_t { encoder, decoder };
  enum Kind : uint8_t { self, cross };

  Stack stack = decoder;
  int64_t layer = 0;
  Kind kind = self;

  std::string str() const;  // "decoder.0.self"
  auto operator<=>(const AttentionName&) const = default;
};

class Lens {
 public:
  virtual ~Lens() = default;

  // Whether it wants the attention of that name; if not, the call may be skipped.
  virtual bool wants(AttentionName /*name*/) const { return true; }

  // weights [pairs] holds, sentence after sentence and head after head, a matrix [queries, keys] whose rows
  // sum to 1.
  virtual void attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                         int heads) = 0;
};

}  // namespace attune
