// Lens: looks into a forward pass. Whoever passes one receives every attention matrix; without one the fast
// kernels never build them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "attune/rows.h"
#include "attune/tensor.h"

namespace attune {

// Which attention of a model it is: of which layer, and whether that looks at its own sequence or across, at
// the source. The only attention of an RNN is that of its decoder's layer 0, across.
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

  // Whether it looks at the attention of that name; if not, it may be spared the call.
  virtual bool wants(AttentionName /*name*/) const { return true; }

  // weights [pairs] holds, sentence after sentence and head after head, a matrix [queries, keys] whose rows
  // sum to 1.
  virtual void attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                         int heads) = 0;
};

}  // namespace attune
