#include "ops/pointwise/elu.h"
#include "testing/operation.h"

namespace attune {
namespace {

// rows, columns
template <Tensor f(const Tensor&)>
testing::OpCase at(const testing::Sizes& s, DType dtype) {
  return {.name = "activation",
          .inputs = {testing::random_tensor({s[0], s[1]}, 1, 1, dtype)},
          .run = [](const auto& in) { return f(in[0]); },
          .result = {s[0], s[1]}};
}

const testing::RegisterOperation elu_operation{
    {.name = "elu", .at = at<elu>, .small = {{3, 5}}, .odd = {{1, 13}, {0, 3}, {70, 333}}, .rows = {}}};
const testing::RegisterOperation leaky_operation{{.name = "leaky_relu",
                                                  .at = at<leaky_relu>,
                                                  .small = {{3, 5}},
                                                  .odd = {{1, 13}, {0, 3}, {70, 333}},
                                                  .rows = {}}};

}  // namespace
}  // namespace attune
