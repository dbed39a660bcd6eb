// The rows of registered operations (testing/operation.h).
#include "attune/autograd.h"
#include "bench/bench_case.h"
#include "testing/operation.h"

namespace attune::bench {
namespace {

using testing::OpCase;

Work forward(const OpCase::Run& run, const std::vector<Tensor>& inputs) {
  return [run, inputs] {
    const NoGrad no_grad;
    run(inputs);
  };
}

// These numbers as if an operation had made them: their gradient is computed and then dropped. For one
// execution.
Tensor activation(const Tensor& numbers) {
  Tensor tensor = numbers.detach();
  record("input", tensor, {leaf(Tensor::zeros({}))}, [](const Tensor&) { return Grads{Tensor()}; });
  return tensor;
}

// Runs the backward pass of y for the gradient dy.
void backward_from(const Tensor& y, const Tensor& dy) {
  Tensor loss = Tensor::zeros({});
  record("projection", loss, {y}, [dy](const Tensor&) { return Grads{dy}; });
  backward(loss);
}

// The last inputs are learned; the others come from an operation before. The backward pass begins with a
// gradient as of an operation behind, unless the result is a loss.
Work forward_and_backward(const OpCase& op, bool zeroed_gradients) {
  const bool is_loss = op.result.rank() == 0;
  const size_t given = op.inputs.size() - op.learned;
  std::vector<Tensor> inputs = op.inputs;
  for (size_t i = given; i < inputs.size(); ++i) inputs[i] = leaf(inputs[i]);
  return [=, run = op.run, dy = is_loss ? Tensor() : random_input(op.result, 99)] {
    if (zeroed_gradients)
      for (size_t i = given; i < inputs.size(); ++i) leaf_gradient(inputs[i]).fill(0);
    std::vector<Tensor> now = inputs;
    for (size_t i = 0; i < given; ++i) now[i] = activation(inputs[i]);
    const Tensor y = run(now);
    if (is_loss)
      backward(y);
    else
      backward_from(y, dy);
  };
}

BenchCase bench_case(const testing::Operation& operation, const testing::OpRow& row) {
  const auto at_row = [at = operation.at, sizes = row.sizes] { return at(sizes, DType::f32); };
  BenchCase bench{.name = row.name,
                  .set_up =
                      [=] {
                        const OpCase op = at_row();
                        return row.forward_only ? forward(op.run, op.inputs)
                                                : forward_and_backward(op, row.zeroed_gradients);
                      },
                  .flops = row.flops,
                  .speed = row.speed,
                  .megabytes = row.megabytes,
                  .memory_share = row.memory_share};
  if (row.onednn) bench.onednn = [=] { return forward(row.onednn, at_row().inputs); };
  return bench;
}

std::vector<BenchCase> operation_rows() {
  std::vector<BenchCase> cases;
  for (const testing::Operation& operation : testing::operations())
    for (const testing::OpRow& row : operation.rows) cases.push_back(bench_case(operation, row));
  return cases;
}

const RegisterCases registered(operation_rows);

}  // namespace
}  // namespace attune::bench
