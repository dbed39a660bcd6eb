#include <gtest/gtest.h>

#include <cmath>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::random_tensor;

std::vector<OpCase> cases(const Shape& shape) {
  const Shape row{shape.columns()};
  return {
      {"add", {random_tensor(shape, 1), random_tensor(shape, 2)}, [](auto& x) { return add(x[0], x[1]); }},
      {"add a row",
       {random_tensor(shape, 1), random_tensor(row, 2)},
       [](auto& x) { return add(x[0], x[1]); }},
      {"mul", {random_tensor(shape, 1), random_tensor(shape, 2)}, [](auto& x) { return mul(x[0], x[1]); }},
      {"mul a row",
       {random_tensor(shape, 1), random_tensor(row, 2)},
       [](auto& x) { return mul(x[0], x[1]); }},
      {"add to itself", {random_tensor(shape, 1)}, [](auto& x) { return add(x[0], x[0]); }},
      {"scale", {random_tensor(shape, 1)}, [](auto& x) { return scale(x[0], -2.5); }},
      {"sum", {random_tensor(shape, 1)}, [](auto& x) { return sum(x[0]); }},
      {"silu", {random_tensor(shape, 1)}, [](auto& x) { return activate(x[0], Activation::silu); }},
      {"sigmoid", {random_tensor(shape, 1)}, [](auto& x) { return activate(x[0], Activation::sigmoid); }},
  };
}

TEST(Elementwise, gradients) {
  for (const OpCase& op : cases({3, 5})) testing::expect_gradients(op);
}

TEST(Elementwise, fast_kernels_equal_the_reference) {
  for (const Shape shape : {Shape{1, 1}, {1, 13}, {7, 1}, {0, 3}, {2, 3, 5}, {70, 333}})
    for (const OpCase& op : cases(shape)) testing::expect_parity(op);
}

TEST(Elementwise, activations_are_accurate_over_the_whole_range) {
  Tensor x({4001});
  for (int64_t i = 0; i < x.size(); ++i) x.data<float>()[i] = static_cast<float>(i - 2000) * 0.05f;
  for (const Activation f :
       {Activation::gelu, Activation::gelu_tanh, Activation::silu, Activation::tanh, Activation::sigmoid}) {
    const Tensor fast = activate(x, f), exact = activate(x.to(DType::f64), f);
    for (int64_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(fast.data<float>()[i], exact.data<double>()[i],
                  4e-7 * std::max(1.0, std::abs(exact.data<double>()[i])))
          << name(f) << " at " << x.data<float>()[i];
  }
}

TEST(Elementwise, small_arguments_of_tanh_keep_their_relative_accuracy) {
  const Tensor y = activate(Tensor::of<float>({3}, {1e-6f, -3e-4f, 0.29f}), Activation::tanh);
  EXPECT_FLOAT_EQ(y.data<float>()[0], 1e-6f);
  EXPECT_FLOAT_EQ(y.data<float>()[1], std::tanh(-3e-4f));
  EXPECT_FLOAT_EQ(y.data<float>()[2], std::tanh(0.29f));
}

TEST(Elementwise, activations_keep_nan_and_take_infinity) {
  const float inf = INFINITY;
  const Tensor x = Tensor::of<float>({3}, {NAN, inf, -inf});
  for (const Activation f : {Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu,
                             Activation::tanh, Activation::sigmoid})
    EXPECT_TRUE(std::isnan(activate(x, f).data<float>()[0])) << name(f);
  EXPECT_EQ(activate(x, Activation::tanh).data<float>()[1], 1);
  EXPECT_EQ(activate(x, Activation::tanh).data<float>()[2], -1);
  EXPECT_EQ(activate(x, Activation::sigmoid).data<float>()[2], 0);
  EXPECT_EQ(activate(x, Activation::relu).data<float>()[1], inf);
}

TEST(Elementwise, refuses_shapes_that_differ) {
  testing::expect_error(
      [] {
        add(Tensor::zeros({2, 3}), Tensor::zeros({3, 2}));
      },
      "add: the shapes [2, 3] and [3, 2] differ; the second may also be one row [3]");
  testing::expect_error(
      [] {
        mul(Tensor::zeros({2, 3}), Tensor::zeros({2}));
      },
      "mul: the shapes [2, 3] and [2]");
  testing::expect_error([] { scale(Tensor(), 2); }, "scale: a tensor is undefined");
}

}  // namespace
}  // namespace attune
