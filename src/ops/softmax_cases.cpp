#include "attune/ops/norms.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::Sizes;

const std::vector<Sizes> kOdd{{1, 1}, {1, 7}, {5, 1}, {3, 16}, {4, 33}, {6, 100}, {0, 5}, {130, 257}};

// rows, columns
template <Tensor (*f)(const Tensor&)>
OpCase at(const Sizes& s, DType dtype) {
  return {.name = "normalised exponentials",
          .inputs = {testing::random_tensor({s[0], s[1]}, 1, 3, dtype)},
          .run = [](const auto& in) { return f(in[0]); },
          .result = {s[0], s[1]}};
}

const testing::RegisterOperation registered_softmax{
    {.name = "softmax",
     .at = at<softmax>,
     .small = {{3, 5}},
     .odd = kOdd,
     .rows = {{.name = "softmax_1536x8000", .sizes = {1536, 8000}, .forward_only = true}}}};

const testing::RegisterOperation registered_log_softmax{
    {.name = "log_softmax",
     .at = at<log_softmax>,
     .small = {{3, 5}},
     .odd = kOdd,
     .rows = {{.name = "log_softmax_train_1536x1024", .sizes = {1536, 1024}}}}};

}  // namespace
}  // namespace attune
