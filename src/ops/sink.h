// Where a backward closure adds the gradient of one input. Adding to a leaf's own gradient saves a temporary,
// and nothing is returned.
#pragma once

#include "attune/autograd.h"

namespace attune {

struct Sink {
  explicit Sink(const Tensor& input)
      : wanted(input.node() != nullptr), leaf(leaf_gradient(input)), shape(input.shape()) {}

  Tensor open(DType dtype) const { return leaf ? leaf : wanted ? Tensor::zeros(shape, dtype) : Tensor(); }
  Tensor returned(const Tensor& gradient) const { return leaf ? Tensor() : gradient; }

  bool wanted;
  Tensor leaf;
  Shape shape;
};

}  // namespace attune
