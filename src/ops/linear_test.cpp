#include <gtest/gtest.h>

#include "attune/ops.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::random_tensor;

constexpr Activation kActivations[] = {Activation::none, Activation::relu, Activation::gelu,
                                       Activation::silu, Activation::tanh, Activation::sigmoid};

OpCase linear_case(int64_t rows, int64_t in, int64_t out, Activation activation) {
  return {std::string("linear ") + std::string(name(activation)),
          {random_tensor({rows, in}, 1), random_tensor({out, in}, 2), random_tensor({out}, 3)},
          [activation](const auto& x) { return linear(x[0], x[1], x[2], activation); }};
}

TEST(Linear, gradients_for_all_activations) {
  for (const Activation activation : kActivations)
    testing::expect_gradients(linear_case(3, 4, 5, activation));
}

TEST(Linear, fast_kernels_equal_the_reference) {
  for (const Activation activation : kActivations)
    for (const auto& [rows, in, out] :
         {std::array<int64_t, 3>{1, 1, 1}, {3, 17, 33}, {0, 4, 5}, {130, 35, 70}, {200, 300, 65}})
      testing::expect_parity(linear_case(rows, in, out, activation));
}

TEST(Linear, works_without_bias_and_on_three_dimensions) {
  testing::expect_gradients({"linear",
                             {random_tensor({2, 3, 4}, 1), random_tensor({5, 4}, 2)},
                             [](const auto& x) { return linear(x[0], x[1], {}, Activation::gelu); }});
}

TEST(Linear, a_row_does_not_depend_on_its_neighbours) {
  const Tensor x = random_tensor({300, 64}, 1, 1, DType::f32), w = random_tensor({100, 64}, 2, 1, DType::f32);
  const Tensor all = linear(x, w), part = linear(x.view_rows(100, 250), w);
  testing::expect_close(part, all.view_rows(100, 250), 0, "rows 100..250 alone");
}

TEST(Linear, refuses_shapes_that_do_not_fit) {
  const auto zeros = [](const Shape& shape) { return Tensor::zeros(shape); };
  testing::expect_error(
      [&] {
        linear(zeros({2, 3}), zeros({5, 4}));
      },
      "linear: the shape of x is [2, 3], but the weight [5, 4] takes rows of 4");
  testing::expect_error(
      [&] {
        linear(zeros({2, 4}), zeros({5, 4}), zeros({4}));
      },
      "linear: the shape of the bias is [4], but [5] was expected");
  testing::expect_error([&] { linear(zeros({2, 4}), zeros({4})); }, "should have 2 dimensions");
}

}  // namespace
}  // namespace attune
