// OpCase: an operation on given inputs. One case serves the gradient check, the comparison of the fast
// kernels with the reference, and the benchmark.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "attune/tensor.h"

namespace attune::testing {

struct OpCase {
  using Run = std::function<Tensor(const std::vector<Tensor>&)>;

  std::string name;
  std::vector<Tensor> inputs;  // f64; each becomes a leaf
  Run run;                     // the result may have any shape
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
