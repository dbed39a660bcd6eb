#include "testing/operation.h"

#include <gtest/gtest.h>

#include "testing/op_check.h"

namespace attune::testing {
namespace {

TEST(Operations, have_the_gradients_of_central_differences) {
  for (const Operation& op : operations()) {
    SCOPED_TRACE(op.name);
    for (const Sizes& sizes : op.small) expect_gradients(op.at(sizes, DType::f64));
  }
}

TEST(Operations, have_fast_kernels_that_equal_the_reference) {
  for (const Operation& op : operations()) {
    SCOPED_TRACE(op.name);
    for (const Sizes& sizes : op.odd) expect_parity(op.at(sizes, DType::f64), op.tolerance);
  }
}

TEST(Operations, are_checked_at_some_sizes_and_say_the_shape_of_their_result) {
  EXPECT_FALSE(operations().empty());
  for (const Operation& op : operations()) {
    EXPECT_FALSE(op.small.empty() || op.odd.empty()) << op.name;
    for (const Sizes& sizes : op.small) {
      const OpCase one = op.at(sizes, DType::f32);
      EXPECT_LE(one.learned, one.inputs.size()) << op.name;
      EXPECT_EQ(one.run(one.inputs).shape(), one.result) << op.name;
    }
  }
}

}  // namespace
}  // namespace attune::testing
