// OpCase: an operation on given inputs. One case serves the gradient check, the comparison of the fast
// kernels with the reference, and the benchmark; testing/operation.h registers it for all three.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "attune/tensor.h"

namespace attune::testing {

struct OpCase {
  using Run = std::function<Tensor(const std::vector<Tensor>&)>;

  std::string name;
  std::vector<Tensor> inputs;  // f64 for a check, where each becomes a leaf; f32 for the benchmark
  Run run;                     // the result may have any shape

  // For the benchmark.
  size_t learned = 0;  // so many of the last inputs are parameters
  Shape result = {};   // its shape; [] is a loss
};

// Reproducible numbers from a normal distribution.
Tensor random_tensor(const Shape& shape, uint64_t seed, double deviation = 1, DType dtype = DType::f64);

// The result of a case and the gradients of sum(result * weights) for fixed random weights.
struct Evaluation {
  Tensor result;
  std::vector<Tensor> gradients;
};
Evaluation evaluate(const OpCase& op, DType dtype);

}  // namespace attune::testing
