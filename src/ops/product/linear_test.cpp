#include <gtest/gtest.h>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "attune/threads.h"
#include "ops/kernels.h"
#include "tensor/constants.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::random_tensor;

constexpr Activation kActivations[] = {Activation::none, Activation::relu, Activation::gelu,
                                       Activation::silu, Activation::tanh, Activation::sigmoid};

TEST(Linear, works_on_three_dimensions) {
  testing::expect_gradients({"linear",
                             {random_tensor({2, 3, 4}, 1), random_tensor({5, 4}, 2)},
                             [](const auto& x) { return linear(x[0], x[1], {}, Activation::gelu); }});
}

TEST(Linear, a_row_does_not_depend_on_its_neighbours) {
  const Tensor x = random_tensor({300, 64}, 1, 1, DType::f32), w = random_tensor({100, 64}, 2, 1, DType::f32);
  const Tensor all = linear(x, w), part = linear(x.view_rows(100, 250), w);
  testing::expect_close(part, all.view_rows(100, 250), 0, "rows 100..250 alone");
}

// A weight that is constant, as the one of a loaded model.
struct Constant {
  Parameters parameters;
  Tensor tensor;

  explicit Constant(const Tensor& numbers)
      : parameters([numbers](auto, const auto&, auto) { return numbers; }),
        tensor(parameters.add("weight", numbers.shape())) {}
};

TEST(Linear, constant_weights_give_the_product_of_the_reference) {
  for (const Activation activation : kActivations)
    for (const int64_t rows : {0, 1, 2, 3, 7, 40, 150}) {
      const Tensor x = random_tensor({rows, 300}, 1, 1, DType::f32),
                   w = random_tensor({201, 300}, 2, 0.1, DType::f32),
                   b = random_tensor({201}, 3, 1, DType::f32);
      const Constant constant(w.clone());
      const Tensor y = linear(x, constant.tensor, b, activation);
      const ReferenceKernels reference;
      testing::expect_close(y, linear(x, w, b, activation), 1e-5, "constant");
    }
}

TEST(Linear, with_constant_weights_a_row_has_the_same_bits_in_any_batch_for_any_threads) {
  const int64_t rows = 150;
  const Tensor x = random_tensor({rows, 300}, 1, 1, DType::f32), b = random_tensor({201}, 3, 1, DType::f32);
  const Constant w(random_tensor({201, 300}, 2, 0.1, DType::f32));
  const Tensor all = linear(x, w.tensor, b, Activation::gelu);
  for (const int threads : {1, 2, 5, 30})
    for (const int64_t count : {1, 2, 3, 9, 32, 100}) {
      const ThreadCount scope(threads);
      testing::expect_close(linear(x.view_rows(17, 17 + count), w.tensor, b, Activation::gelu),
                            all.view_rows(17, 17 + count), 0, "part");
    }
}

TEST(Linear, views_of_constant_weights_have_forms_of_their_own) {
  const Tensor x = random_tensor({3, 20}, 1, 1, DType::f32), w = random_tensor({30, 40}, 2, 1, DType::f32);
  const Constant constant(w.clone());
  for (const int64_t first : {0, 20, 0})
    testing::expect_close(linear(x, constant.tensor.view_columns(first, first + 20)),
                          linear(x, w.view_columns(first, first + 20)), 1e-5, "columns");
  testing::expect_close(linear(x, constant.tensor.view_columns(0, 20).view_rows(4, 9)),
                        linear(x, w.view_columns(0, 20).view_rows(4, 9)), 1e-5, "rows and columns");
}

TEST(Linear, weights_that_were_frozen_can_be_trained_again) {
  Parameters parameters;
  const Tensor w = parameters.add("weight", {2, 3}, [](const Tensor& t) { t.fill(1); });
  const Tensor x = Tensor::full({1, 3}, 1);
  const NoGrad no_grad;
  for (const double value : {1.0, 2.0}) {
    w.fill(value);
    const Frozen frozen(parameters);
    EXPECT_EQ(linear(x, w).data<float>()[0], 3 * value);
  }
  w.fill(3);
  EXPECT_EQ(linear(x, w).data<float>()[0], 9);
}

TEST(Linear, refuses_shapes_that_do_not_fit) {
  const auto zeros = [](const Shape& shape) { return Tensor::zeros(shape); };
  testing::expect_error(
      [&] {
        linear(zeros({2, 3}), zeros({5, 4}));
      },
      "linear: the shape of x is [2, 3], but the weight [5, 4] needs rows of 4");
  testing::expect_error(
      [&] {
        linear(zeros({2, 4}), zeros({5, 4}), zeros({4}));
      },
      "linear: the shape of the bias is [4], but [5] was expected");
  testing::expect_error([&] { linear(zeros({2, 4}), zeros({4})); }, "should have 2 dimensions");
}

}  // namespace
}  // namespace attune
