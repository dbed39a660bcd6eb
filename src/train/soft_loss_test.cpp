#include "train/soft_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::OpCase, testing::random_tensor;

// Rows 1, 4, 7, .. are not counted.
Tensor expected(int64_t rows) {
  const Tensor ids({rows}, DType::i32);
  for (int64_t i = 0; i < rows; ++i) ids.data<int32_t>()[i] = i % 3 == 1 ? kIgnore : 0;
  return ids;
}

OpCase distillation(int64_t rows, int64_t d, int64_t words) {
  const OutputLayer teacher{random_tensor({rows, d + 2}, 7), random_tensor({words, d + 2}, 8),
                            random_tensor({words}, 9)};
  return {.name = "distillation_loss",
          .inputs = {random_tensor({rows, d}, 1), random_tensor({words, d}, 2), random_tensor({words}, 3)},
          .run = [teacher, ids = expected(rows)](const auto& in) {
            const DType type = in[0].dtype();
            return distillation_loss(
                {in[0], in[1], in[2]},
                {teacher.features.to(type), teacher.weight.to(type), teacher.bias.to(type)}, ids);
          }};
}

OpCase consistency(int64_t rows, int64_t d, int64_t words) {
  return {.name = "consistency_loss",
          .inputs = {random_tensor({rows, d}, 1), random_tensor({rows, d}, 2), random_tensor({words, d}, 3),
                     random_tensor({words}, 4)},
          .run = [ids = expected(rows)](const auto& in) {
            return consistency_loss({in[0], in[2], in[3]}, {in[1], in[2], in[3]}, ids);
          }};
}

TEST(SoftLoss, gradients_are_those_of_differences) {
  testing::expect_gradients(distillation(5, 3, 7));
  testing::expect_gradients(consistency(5, 3, 7));
}

// As many rows as make two chunks are the sum of their parts.
TEST(SoftLoss, chunks_change_nothing) {
  constexpr int64_t kRows = 150, kWords = 70'000, kFirst = 60;
  const Tensor x = random_tensor({kRows, 1}, 1), y = random_tensor({kRows, 1}, 2),
               weight = random_tensor({kWords, 1}, 3), ids = expected(kRows);
  const auto part = [&](int64_t begin, int64_t end, Tensor& gradient) {
    gradient = Tensor::zeros(weight.shape(), DType::f64);
    const Tensor parameter = leaf(weight, gradient);
    const Tensor loss = consistency_loss({x.view_rows(begin, end), parameter, {}},
                                         {y.view_rows(begin, end), parameter, {}}, ids.view_rows(begin, end));
    const double value = loss.item();
    backward(loss);
    return value;
  };
  Tensor all, first, second;
  const double whole = part(0, kRows, all), parts = part(0, kFirst, first) + part(kFirst, kRows, second);
  EXPECT_NEAR(whole, parts, 1e-9 * whole);
  testing::expect_close(all, add(first, second), 1e-12, "gradient");
}

TEST(SoftLoss, single_precision_gives_the_same) {
  testing::expect_parity(distillation(9, 8, 33), 1e-4);
  testing::expect_parity(consistency(9, 8, 33), 1e-4);
}

TEST(SoftLoss, threads_change_no_bit) {
  testing::expect_same_for_any_threads(distillation(40, 8, 500));
  testing::expect_same_for_any_threads(consistency(40, 8, 500));
}

// Without features only the bias counts: p = (1/4, 3/4), q = (1/2, 1/2).
TEST(SoftLoss, values_are_those_of_the_equations) {
  const Tensor none = Tensor::zeros({3, 1}, DType::f64), weight = Tensor::zeros({2, 1}, DType::f64),
               p = Tensor::zeros({2}, DType::f64), q = Tensor::zeros({2}, DType::f64);
  p.data<double>()[1] = std::log(3.0);
  const OutputLayer first{none, weight, p}, second{none, weight, q};
  EXPECT_NEAR(distillation_loss(first, second, expected(3)).item(),
              2 * -(0.5 * std::log(0.25) + 0.5 * std::log(0.75)), 1e-12);
  const double forth = 0.25 * std::log(0.5) + 0.75 * std::log(1.5),
               back = 0.5 * std::log(2.0) + 0.5 * std::log(2. / 3);
  EXPECT_NEAR(consistency_loss(first, second, expected(3)).item(), 2 * (forth + back) / 2, 1e-12);
  EXPECT_NEAR(consistency_loss(first, first, expected(3)).item(), 0, 1e-12);
}

}  // namespace
}  // namespace attune
