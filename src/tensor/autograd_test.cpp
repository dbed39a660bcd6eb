#include "attune/autograd.h"

#include <gtest/gtest.h>

#include "attune/ops.h"
#include "attune/parameters.h"
#include "tensor/after_each.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_error;

Tensor number(double value) { return leaf(Tensor::full({}, value, DType::f64)); }
double gradient(const Tensor& t) { return leaf_gradient(t).item(); }

TEST(Autograd, follows_every_path_to_a_leaf) {
  const Tensor x = number(3), y = number(5);
  backward(add(mul(x, y), mul(x, x)));  // x y + x^2
  EXPECT_EQ(gradient(x), 5 + 2 * 3);
  EXPECT_EQ(gradient(y), 3);
}

TEST(Autograd, gradients_that_share_memory_do_not_disturb_each_other) {
  const Tensor x = number(2);
  const Tensor a = scale(x, 3), b = scale(x, 4);
  const Tensor s = add(a, b);   // the same gradient goes to a and b ...
  backward(add(s, mul(a, a)));  // ... and a has another one
  EXPECT_EQ(gradient(x), 3 + 4 + 2 * 6 * 3);
}

TEST(Autograd, gradients_accumulate_over_calls) {
  const Tensor x = number(3);
  backward(mul(x, x));
  backward(mul(x, x), 0.5);
  EXPECT_EQ(gradient(x), 6 + 3);
}

TEST(Autograd, tells_when_a_gradient_is_done) {
  const Tensor x = number(3), y = number(5), z = number(7);
  const Tensor square = mul(x, x), product = mul(x, y);
  std::vector<std::pair<const double*, double>> done;
  backward(add(square, mul(product, z)), 1, [&](std::span<const Tensor> gradients) {  // x^2 + x y z
    for (const Tensor& gradient : gradients) done.emplace_back(gradient.data<double>(), gradient.item());
  });
  const auto place = [](const Tensor& leaf) -> const double* { return leaf_gradient(leaf).data<double>(); };
  EXPECT_EQ(done, (decltype(done){{place(z), 3 * 5}, {place(y), 3 * 7}, {place(x), 2 * 3 + 5 * 7}}));
}

TEST(Autograd, records_nothing_inside_no_grad) {
  const Tensor x = number(3);
  {
    const NoGrad no_grad;
    EXPECT_EQ(mul(x, x).node(), nullptr);
    EXPECT_FALSE(grad_enabled());
  }
  EXPECT_NE(mul(x, x).node(), nullptr);
}

TEST(Autograd, constants_need_no_record) {
  EXPECT_EQ(mul(Tensor::zeros({2}), Tensor::zeros({2})).node(), nullptr);
}

TEST(Autograd, a_graph_is_used_once) {
  const Tensor x = number(3), loss = mul(x, x);
  backward(loss);
  expect_error([&] { backward(loss); }, "was already consumed by an earlier backward()");
}

TEST(Autograd, frees_what_it_no_longer_needs) {
  std::weak_ptr<Storage> watch;
  const Tensor x = leaf(Tensor::full({100}, 1));
  Tensor loss;
  {
    const Tensor y = activate(x, Activation::tanh);
    watch = y.storage();
    loss = sum(y);
  }
  EXPECT_FALSE(watch.expired());
  backward(loss);
  EXPECT_TRUE(watch.expired());
}

TEST(Autograd, deep_graphs_neither_overflow_the_stack_nor_leak) {
  const Tensor x = number(1);
  for (const bool run : {true, false}) {
    Tensor y = x;
    for (int i = 0; i < 100000; ++i) y = scale(y, 1);
    const std::weak_ptr<Node> last = y.node();
    if (run) backward(y);
    y = Tensor();
    EXPECT_TRUE(last.expired());
  }
  EXPECT_EQ(gradient(x), 1);
}

TEST(Autograd, refuses_a_loss_that_is_no_number_or_depends_on_nothing) {
  expect_error([] { backward(leaf(Tensor::zeros({2}))); },
               "the loss must be one number, but its shape is [2]");
  expect_error([] { backward(Tensor::zeros({})); }, "depends on nothing that has a gradient");
}

TEST(Autograd, a_wrong_gradient_names_its_operation) {
  const Tensor x = leaf(Tensor::zeros({2}));
  Tensor y({}, DType::f32);
  record("broken", y, {x}, [](const Tensor&) { return Grads{Tensor::zeros({3})}; });
  expect_error([&] { backward(y); },
               "broken: its backward pass gave a gradient of shape [3] for an input of shape [2]");
}

TEST(Parameters, gather_into_flat_buffers_without_breaking_tensors) {
  Parameters parameters;
  const Tensor a = parameters.add("a", {3}), b = parameters.add("b", {2, 2});
  b.fill(7);
  backward(sum(mul(a, a)), 1);
  const Tensor values = parameters.values(), gradients = parameters.gradients();
  EXPECT_EQ(values.data<float>()[16], 7) << "b starts at a multiple of 16";
  EXPECT_EQ(values.data<float>(), a.data<float>());
  a.fill(2);
  backward(sum(add(mul(a, a), Tensor::zeros({3}))));
  EXPECT_EQ(gradients.data<float>()[2], 4);
  backward(sum(b));
  EXPECT_EQ(gradients.data<float>()[19], 1);
  parameters.zero_gradients();
  EXPECT_EQ(leaf_gradient(b).data<float>()[3], 0);
  EXPECT_EQ(parameters.count(), 7);
}

TEST(Parameters, names_are_unique_and_known) {
  Parameters parameters;
  parameters.add("a", {3});
  expect_error([&] { parameters.add("a", {3}); }, "'a' is used twice");
  expect_error([&] { (void)parameters.at("b"); }, "'b' does not exist");
  EXPECT_TRUE(parameters.contains("a"));
  (void)parameters.values();
  expect_error([&] { parameters.add("c", {3}); }, "'c' was added after training had begun");
}

TEST(Parameters, of_a_source_have_its_memory_and_no_gradients) {
  const Tensor given = Tensor::full({3}, 7);
  Parameters parameters([&](std::string_view, const Shape&, DType) { return given; });
  const auto fill = [](const Tensor&) { FAIL() << "it has its values"; };
  EXPECT_EQ(parameters.add("a", {3}, fill).data<float>(), given.data<float>());
  EXPECT_FALSE(leaf_gradient(parameters.at("a")).defined());
  EXPECT_EQ(parameters.count(), 3);
  expect_error([&] { parameters.add("b", {4}); }, "'b' should be f32 [4], but f32 [3] was given");
  expect_error([&] { (void)parameters.gradients(); }, "loaded parameters cannot be trained");
}

}  // namespace
}  // namespace attune
