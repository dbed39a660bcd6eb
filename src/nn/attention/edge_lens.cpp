#include "nn/attention/edge_lens.h"

#include "tensor/dispatch.h"

namespace attune {

void EdgeLens::attention(AttentionName name, const Tensor& weights, const Rows& /*queries*/, const Rows& keys,
                         int heads) {
  int64_t pairs = 0;
  for (int64_t g = 0; g < nodes_.count(); ++g) pairs += nodes_.length(g) * nodes_.length(g);
  const Tensor all = Tensor::zeros({heads * pairs}, weights.dtype());
  dispatch(weights.dtype(), [&]<class T>() {
    T* matrix = all.data<T>();  // of the first head of a graph
    for (int64_t g = 0; g < nodes_.count(); ++g) {
      const int64_t n = nodes_.length(g), first = nodes_.begin(g);
      for (int64_t node = first; node < nodes_.end(g); ++node)
        for (int h = 0; h < heads; ++h)
          for (int64_t e = 0; e < keys.length(node); ++e) {
            const int64_t to = edges_.to.data<int32_t>()[keys.begin(node) + e] - first;
            matrix[(h * n + node - first) * n + to] =
                weights.data<T>()[heads * keys.begin(node) + h * keys.length(node) + e];
          }
      matrix += heads * n * n;
    }
  });
  lens_.attention(name, all, nodes_, nodes_, heads);
}

}  // namespace attune
