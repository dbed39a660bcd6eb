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

// How far numbers are from those that are expected.
enum class ErrorKind : uint8_t { squared, absolute };
struct NumberError {
  Tensor loss;                       // [] the sum over all rows of a row's mean error
  Tensor rows;                       // [rows] the mean error of each; no gradient
  double squared = 0, absolute = 0;  // the same sum of squared and of absolute errors
};
// Errors count `unit` times (undefined: once): the units in which numbers were standardised.
NumberError number_error(const Tensor& numbers, const Tensor& expected, const Tensor& unit,
                         ErrorKind kind);  // [rows, columns] x3

}  // namespace attune
