#include "testing/op_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attune/autograd.h"
#include "attune/error.h"
#include "attune/ops.h"
#include "attune/threads.h"
#include "ops/kernels.h"

namespace attune::testing {
namespace {

double largest(const Tensor& t) {
  double most = 0;
  for (const double x : t.clone().span<double>())
    if (std::isfinite(x)) most = std::max(most, std::abs(x));
  return most;
}

double projected(const OpCase& op, const std::vector<Tensor>& inputs) {
  const NoGrad no_grad;
  const Tensor y = op.run(inputs);
  return sum(mul(y, random_tensor(y.shape(), 7))).item();
}

}  // namespace

void expect_close(const Tensor& actual, const Tensor& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(actual.shape(), expected.shape()) << what;
  const Tensor a = actual.to(DType::f64), e = expected.to(DType::f64);
  const double bound = tolerance * std::max(largest(e), 1e-2);
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = a.span<double>()[static_cast<size_t>(i)], y = e.span<double>()[static_cast<size_t>(i)];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    ASSERT_LE(std::abs(x - y), bound) << what << ", element " << i << ": " << x << " instead of " << y;
  }
}

void expect_gradients(const OpCase& op, double tolerance) {
  const Evaluation evaluation = evaluate(op, DType::f64);
  for (size_t n = 0; n < op.inputs.size(); ++n) {
    std::vector<Tensor> inputs;
    for (const Tensor& input : op.inputs) inputs.push_back(input.clone());
    Tensor expected(inputs[n].shape(), DType::f64);
    for (int64_t i = 0; i < inputs[n].size(); ++i) {
      double& x = inputs[n].span<double>()[static_cast<size_t>(i)];
      const double before = x, step = 1e-5 * std::max(1.0, std::abs(before));
      x = before + step;
      const double above = projected(op, inputs);
      x = before - step;
      const double below = projected(op, inputs);
      x = before;
      expected.span<double>()[static_cast<size_t>(i)] = (above - below) / (2 * step);
    }
    expect_close(evaluation.gradients[n], expected, tolerance,
                 op.name + ": gradient of input " + std::to_string(n));
  }
}

void expect_parity(const OpCase& op, double tolerance) {
  const auto compare = [&](const Evaluation& actual, const Evaluation& expected, const std::string& kernels) {
    expect_close(actual.result, expected.result, tolerance, op.name + " (" + kernels + "): result");
    for (size_t i = 0; i < actual.gradients.size(); ++i)
      expect_close(actual.gradients[i], expected.gradients[i], tolerance,
                   op.name + " (" + kernels + "): gradient of input " + std::to_string(i));
  };
  OpCase rounded = op;  // the same numbers for both precisions
  for (Tensor& input : rounded.inputs) input = input.to(DType::f32).to(DType::f64);
  const Evaluation expected = evaluate(rounded, DType::f64);
  compare(evaluate(rounded, DType::f32), expected, "fast kernels");
  const ReferenceKernels reference;
  compare(evaluate(rounded, DType::f32), expected, "reference kernels");
}

void expect_same_for_any_threads(const OpCase& op) {
  const auto with = [&](int count) {
    const ThreadCount threads(count);
    return evaluate(op, DType::f32);
  };
  const Evaluation one = with(1);
  for (const int count : {2, 3}) {
    const Evaluation more = with(count);
    const std::string what = op.name + " with " + std::to_string(count) + " threads: ";
    expect_close(more.result, one.result, 0, what + "result");
    for (size_t i = 0; i < one.gradients.size(); ++i)
      expect_close(more.gradients[i], one.gradients[i], 0, what + "gradient of input " + std::to_string(i));
  }
}

void expect_error(const std::function<void()>& statement, const std::string& part) {
  try {
    statement();
    FAIL() << "no error, but one with '" << part << "' was expected";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace attune::testing
