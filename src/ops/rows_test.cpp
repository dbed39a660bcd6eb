#include <gtest/gtest.h>

#include "attune/autograd.h"
#include "attune/ops.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::random_tensor;

std::vector<OpCase> cases() {
  const Tensor ids = Tensor::of<int32_t>({5}, {2, 0, 2, 2, 1});
  return {
      {"embedding of a product",
       {random_tensor({4, 3}, 1)},
       [ids](auto& x) { return embedding(scale(x[0], 2), ids); }},
      {"reshape",
       {random_tensor({4, 3}, 1)},
       [](auto& x) {
         return reshape(x[0], {2, 6});
       }},
      {"slice_rows", {random_tensor({4, 3}, 1)}, [](auto& x) { return slice_rows(x[0], 1, 3); }},
      {"concat_rows",
       {random_tensor({2, 3}, 1), random_tensor({0, 3}, 2), random_tensor({1, 3}, 3)},
       [](auto& x) { return concat_rows(x); }},
      {"concat_columns",
       {random_tensor({2, 3}, 1), random_tensor({2, 1}, 2)},
       [](auto& x) { return concat_columns(x); }},
      {"split_columns, one part unused",
       {random_tensor({2, 6}, 1)},
       [](auto& x) {
         const int64_t sizes[] = {1, 3, 2};
         const auto parts = split_columns(x[0], sizes);
         return concat_columns({parts[2], parts[0]});
       }},
  };
}

TEST(RowsAndColumns, gradients) {
  for (const OpCase& op : cases()) testing::expect_gradients(op);
}

TEST(RowsAndColumns, f32_equals_f64) {
  for (const OpCase& op : cases()) testing::expect_parity(op);
}

TEST(RowsAndColumns, splitting_copies_nothing) {
  const Tensor x = random_tensor({2, 6}, 1, 1, DType::f32);
  const int64_t sizes[] = {2, 4};
  EXPECT_EQ(split_columns(x, sizes)[1].data<float>(), x.data<float>() + 2);
}

TEST(Embedding, adds_to_the_rows_of_a_leaf_that_were_used_and_to_no_other) {
  const Tensor table = leaf(random_tensor({100, 2}, 1, 1, DType::f32));
  backward(sum(embedding(table, Tensor::of<int32_t>({3}, {7, 7, 1}))));
  const Tensor gradient = leaf_gradient(table);
  EXPECT_EQ(gradient.row<float>(7)[0], 2);
  EXPECT_EQ(gradient.row<float>(1)[1], 1);
  double total = 0;
  for (const float x : gradient.span<float>()) total += x;
  EXPECT_EQ(total, 6);
}

TEST(Embedding, refuses_ids_outside_the_table) {
  const Tensor table = Tensor::zeros({4, 2});
  testing::expect_error(
      [&] {
        embedding(table, Tensor::of<int32_t>({2}, {0, 4}));
      },
      "embedding: id 4 at position 1 is outside the table of 4 rows");
  testing::expect_error([&] { embedding(table, Tensor::of<int32_t>({1}, {-1})); }, "id -1 at position 0");
  testing::expect_error([&] { embedding(table, Tensor::zeros({2})); }, "ids must be i32");
}

TEST(Embedding, no_ids_give_no_rows) {
  EXPECT_EQ(embedding(Tensor::zeros({4, 2}), Tensor::zeros({0}, DType::i32)).shape(), (Shape{0, 2}));
}

TEST(RowsAndColumns, refuse_what_does_not_fit) {
  const Tensor x = Tensor::zeros({2, 3});
  const Tensor parts[] = {x, Tensor::zeros({2, 4})};
  const int64_t sizes[] = {1, 1};
  testing::expect_error([&] { concat_rows(parts); },
                        "concat_rows: the shapes [2, 3] and [2, 4] do not match");
  testing::expect_error([&] { split_columns(x, sizes); },
                        "split_columns: the sizes add up to 2, but x is [2, 3]");
  testing::expect_error([&] { slice_rows(x, 1, 3); }, "1..3 is not within [2, 3]");
  testing::expect_error([&] { reshape(x, {7}); }, "cannot be viewed as [7]");
}

}  // namespace
}  // namespace attune
