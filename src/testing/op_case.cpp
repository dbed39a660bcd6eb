#include "testing/op_case.h"

#include "attune/autograd.h"
#include "attune/ops.h"
#include "attune/random.h"
#include "tensor/dispatch.h"

namespace attune::testing {

Tensor random_tensor(const Shape& shape, uint64_t seed, double deviation, DType dtype) {
  Tensor t(shape, dtype);
  const Random random(seed);
  dispatch(dtype, [&]<class T>() {
    const auto numbers = t.span<T>();
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(deviation * random.normal(i));
  });
  return t;
}

Evaluation evaluate(const OpCase& op, DType dtype) {
  std::vector<Tensor> leaves;
  for (const Tensor& input : op.inputs) leaves.push_back(leaf(input.to(dtype)));
  Evaluation evaluation;
  evaluation.result = op.run(leaves);
  backward(sum(mul(evaluation.result, random_tensor(evaluation.result.shape(), 7, 1, dtype))));
  for (const Tensor& input : leaves) evaluation.gradients.push_back(leaf_gradient(input));
  return evaluation;
}

}  // namespace attune::testing
