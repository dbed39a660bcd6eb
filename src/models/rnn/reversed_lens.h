// Attention of a model that reads its source backwards, converted to the source's order. ReversedLens passes
// it on.
#pragma once

#include <algorithm>

#include "attune/lens.h"
#include "tensor/dispatch.h"

namespace attune {

// Reverses every row of weights [pairs].
inline Tensor keys_reversed(const Tensor& weights, const Rows& queries, const Rows& keys, int heads) {
  Tensor turned = weights.clone();
  dispatch(weights.dtype(), [&]<class T>() {
    T* row = turned.data<T>();
    for (int64_t s = 0; s < queries.count(); ++s)
      for (int64_t i = 0; i < heads * queries.length(s); ++i, row += keys.length(s))
        std::reverse(row, row + keys.length(s));
  });
  return turned;
}

class ReversedLens final : public Lens {
 public:
  explicit ReversedLens(Lens& lens) : lens_(lens) {}

  bool wants(AttentionName name) const override { return lens_.wants(name); }
  void attention(AttentionName name, const Tensor& weights, const Rows& queries, const Rows& keys,
                 int heads) override {
    lens_.attention(name, keys_reversed(weights, queries, keys, heads), queries, keys, heads);
  }

 private:
  Lens& lens_;
};

}  // namespace attune
