#include "attune/ops/elementwise.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::Sizes;

// rows, columns
OpCase dropout_at(const Sizes& s, DType dtype) {
  return {.name = "dropout",
          .inputs = {testing::random_tensor({s[0], s[1]}, 1, 1, dtype)},
          .run =
              [](const auto& in) {
                return dropout(in[0], {0.1, Random(6)});
              },
          .result = {s[0], s[1]}};
}

const testing::RegisterOperation registered{
    {.name = "dropout",
     .at = dropout_at,
     .small = {{4, 7}},
     .odd = {{1, 1}, {3, 127}, {2, 129}, {0, 4}, {300, 33}, {2, 1300}},
     .tolerance = 1e-6,
     .rows = {{.name = "dropout_train_1536x256", .sizes = {1536, 256}}}}};

}  // namespace
}  // namespace attune
