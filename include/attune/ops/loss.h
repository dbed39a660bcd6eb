// The output layer of a language model and its loss, in one operation.
#pragma once

#include <cstdint>

#include "attune/tensor.h"

namespace attune {

struct CrossEntropy {
  Tensor loss;          // [] sum over the counted tokens, with label smoothing
  Tensor nll;           // [tokens] -log p(target); 0 where not counted; no gradient
  int64_t counted = 0;  // tokens whose target is not kIgnore
  int64_t correct = 0;  // of these, where the target has the highest probability
};
inline constexpr int32_t kIgnore = -1;
CrossEntropy linear_cross_entropy(
    const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& targets,
    double label_smoothing = 0);  // [tokens, d] [v, d] [v] or undefined, i32 [tokens]

}  // namespace attune
