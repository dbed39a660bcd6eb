// A linear layer whose result may be normalised (Ba, Kiros and Hinton 2016).
#pragma once

#include <vector>

#include "nn/layers.h"
#include "nn/norm.h"

namespace attune {

// N(x W^T + b), where N normalises the columns of each part by itself; without parts, nothing. The b may be
// left out: N has one of its own.
struct NormedLinear {
  struct Parts {
    std::vector<int64_t> sizes;  // their sum is the number of columns
    double epsilon = 1e-5;
    bool bias = true;
  };

  Linear linear;
  std::vector<Norm> norms;

  NormedLinear(const Scope& p, int64_t in, int64_t out, const Parts& parts) : linear(p, in, out, parts.bias) {
    for (size_t i = 0; i < parts.sizes.size(); ++i)
      norms.emplace_back(p / ("norm" + std::to_string(i)), NormKind::layer, parts.sizes[i], parts.epsilon);
  }

  Tensor operator()(const Tensor& x) const {
    const Tensor y = linear(x);
    if (norms.empty()) return y;
    if (norms.size() == 1) return norms[0](y);
    std::vector<int64_t> sizes;
    for (const Norm& norm : norms) sizes.push_back(norm.gamma.size());
    std::vector<Tensor> parts = split_columns(y, sizes);
    for (size_t i = 0; i < parts.size(); ++i) parts[i] = norms[i](parts[i]);
    return concat_columns(parts);
  }
};

}  // namespace attune
