// Lens: looks into a forward pass. Whoever passes one receives every attention matrix; without one the fast
// kernels never build them.
#pragma once

#include <string_view>

#include "attune/rows.h"
#include "attune/tensor.h"

namespace attune {

class Lens {
 public:
  virtual ~Lens() = default;

  // Whether it looks at the attention of that name; if not, it may be spared the call.
  virtual bool wants(std::string_view /*name*/) const { return true; }

  // weights [pairs] holds, sentence after sentence and head after head, a matrix [queries, keys] whose rows
  // sum to 1.
  virtual void attention(std::string_view name, const Tensor& weights, const Rows& queries, const Rows& keys,
                         int heads) = 0;
};

}  // namespace attune
