#include "attune/tensor.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "attune/rows.h"
#include "testing/op_check.h"

namespace attune {
namespace {

using testing::expect_error;

Tensor counting(const Shape& shape) {
  Tensor t(shape, DType::i32);
  std::iota(t.span<int32_t>().begin(), t.span<int32_t>().end(), 0);
  return t;
}

TEST(Shape, knows_its_rows_and_columns) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.size(), 24);
  EXPECT_EQ(shape.rows(), 6);
  EXPECT_EQ(shape.columns(), 4);
  EXPECT_EQ(shape[-1], 4);
  EXPECT_EQ(shape.str(), "[2, 3, 4]");
  EXPECT_EQ(Shape().size(), 1);
}

TEST(Shape, refuses_what_no_memory_can_hold) {
  expect_error([] { Shape({-1}); }, "must not be negative");
  expect_error([] { Shape({1, 2, 3, 4, 5}); }, "at most 4");
  expect_error([] { Shape({1L << 40, 1L << 40}); }, "more than memory can hold");
  expect_error([] { (void)Shape({2})[1]; }, "[2] has no dimension 1");
}

TEST(Rows, tell_where_each_sentence_lies) {
  const Rows rows{3, 0, 2};
  EXPECT_EQ(rows.count(), 3);
  EXPECT_EQ(rows.total(), 5);
  EXPECT_EQ(rows.begin(2), 3);
  EXPECT_EQ(rows.length(1), 0);
  EXPECT_EQ(rows.max_length(), 3);
  EXPECT_EQ(rows.by_length(), (std::vector<int64_t>{0, 2, 1}));
  EXPECT_EQ(Rows::uniform(2, 4), (Rows{4, 4}));
  EXPECT_EQ(Rows().count(), 0);
  EXPECT_EQ(Rows().total(), 0);
  expect_error([] { Rows{3, -1}; }, "cannot have -1 tokens");
}

TEST(Tensor, is_aligned) {
  for (int i = 0; i < 5; ++i) {
    const Tensor t({7});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.data<float>()) % 64, 0u);
  }
}

TEST(Tensor, views_share_memory) {
  const Tensor t = counting({4, 6});
  const Tensor rows = t.view_rows(1, 3), columns = t.view_columns(2, 5), flat = t.view({24});
  EXPECT_EQ(rows.row<int32_t>(0)[0], 6);
  EXPECT_EQ(columns.row<int32_t>(3)[2], 22);
  EXPECT_FALSE(columns.contiguous());
  flat.data<int32_t>()[8] = 99;
  EXPECT_EQ(rows.row<int32_t>(0)[2], 99);
  EXPECT_EQ(columns.row<int32_t>(1)[0], 99);
  EXPECT_EQ(columns.view_rows(1, 2).row<int32_t>(0)[0], 99);
}

TEST(Tensor, three_dimensions_are_cut_along_the_first) {
  const Tensor t = counting({3, 2, 2});
  EXPECT_EQ(t.view_rows(1, 3).span<int32_t>()[0], 4);
  EXPECT_EQ(t.view_rows(1, 3).shape(), (Shape{2, 2, 2}));
}

TEST(Tensor, copies_of_views_are_contiguous) {
  const Tensor copy = counting({3, 4}).view_columns(1, 3).clone();
  EXPECT_TRUE(copy.contiguous());
  EXPECT_EQ(std::vector<int32_t>(copy.span<int32_t>().begin(), copy.span<int32_t>().end()),
            (std::vector<int32_t>{1, 2, 5, 6, 9, 10}));
}

TEST(Tensor, converts_and_fills) {
  EXPECT_EQ(counting({3}).to(DType::f64).data<double>()[2], 2.0);
  EXPECT_EQ(Tensor::full({2}, -3, DType::i8).data<int8_t>()[1], -3);
  const Tensor t = Tensor::zeros({2, 4});
  t.view_columns(1, 2).fill(5);
  EXPECT_EQ(t.row<float>(1)[1], 5);
  EXPECT_EQ(t.row<float>(1)[2], 0);
}

TEST(Tensor, memory_of_others_is_kept_alive) {
  auto keeper = std::make_shared<std::vector<float>>(6, 2.f);
  const Tensor t = Tensor::borrow({2, 3}, DType::f32, reinterpret_cast<std::byte*>(keeper->data()), keeper);
  const std::weak_ptr<std::vector<float>> watch = keeper;
  keeper.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(t.row<float>(1)[2], 2);
}

TEST(Tensor, refuses_what_would_leave_its_memory) {
  const Tensor t = counting({4, 6});
  expect_error([&] { (void)t.data<float>(); }, "its numbers are i32, but f32 were asked for");
  expect_error([&] { (void)t.view_rows(3, 5); }, "3..5 is not within [4, 6]");
  expect_error([&] { (void)t.view_columns(-1, 2); }, "-1..2 is not within [4, 6]");
  expect_error([&] { (void)t.view({5, 5}); }, "[4, 6] cannot be viewed as [5, 5]");
  expect_error([&] { (void)t.row<int32_t>(4); }, "row 4 does not exist");
  expect_error([&] { (void)t.view_columns(0, 2).span<int32_t>(); }, "are not contiguous");
  expect_error([&] { t.copy_from(counting({4, 5})); }, "cannot be copied");
  expect_error([&] { (void)t.item(); }, "does not have exactly one element");
  expect_error([] { (void)Tensor().data<float>(); }, "it is undefined");
  expect_error([] { Tensor::of<float>({3}, {1, 2}); }, "2 numbers were given for the shape [3]");
}

}  // namespace
}  // namespace attune
