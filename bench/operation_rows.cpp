// The rows of registered operations (testing/operation.h).
#include "attune/autograd.h"
#include "bench/bench_case.h"
#include "testing/operation.h"

namespace attune::bench {
namespace {

using testing::OpCase;

Work forward(const OpCase& op) {
  return [op] {
    const NoGrad no_grad;
    op.run(op.inputs);
  };
}

// The last inputs are learned; the others come from an operation before. The backward pass begins with a
// gradient as of an operation behind, unless the result is a loss.
Work forward_and_backward(const OpCase& op) {
  const bool is_loss = op.result.rank() == 0;
  const size_t given = op.inputs.size() - op.learned;
  Learned learned;
  std::vector<Tensor> inputs = op.inputs;
  for (size_t i = given; i < inputs.size(); ++i) inputs[i] = learned.add(inputs[i]);
  return [=, run = op.run, dy = is_loss ? Tensor() : random_input(op.result, 99)] {
    learned.zero_gradients();
    std::vector<Tensor> now = inputs;
    for (size_t i = 0; i < given; ++i) now[i] = activation(inputs[i]);
    const Tensor y = run(now);
    if (is_loss)
      backward(y);
    else
      backward_from(y, dy);
  };
}

std::vector<BenchCase> operation_rows() {
  std::vector<BenchCase> cases;
  for (const testing::Operation& op : testing::operations())
    for (const testing::OpRow& row : op.rows)
      cases.push_back({.name = row.name,
                       .set_up =
                           [at = op.at, row] {
                             const OpCase one = at(row.sizes, DType::f32);
                             return row.forward_only ? forward(one) : forward_and_backward(one);
                           },
                       .flops = row.flops,
                       .speed = row.speed,
                       .megabytes = row.megabytes,
                       .memory_share = row.memory_share});
  return cases;
}

const RegisterCases registered(operation_rows);

}  // namespace
}  // namespace attune::bench
