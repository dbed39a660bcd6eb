// A backward pass with a callback.
#pragma once

#include <functional>
#include <span>

#include "attune/autograd.h"

namespace attune {

// Called after each operation of a backward pass, with the gradients of the leaves that are complete: nothing
// more will be added to them.
using AfterEach = std::function<void(std::span<const Tensor> done)>;

void backward(const Tensor& loss, double seed, const AfterEach& after_each);

}  // namespace attune
