#include "attune/ops/products.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::Sizes;

// matrices, and m, k, n of each product [m, k] [k, n]
OpCase batched_at(const Sizes& s, DType dtype) {
  return {.name = "matmul of a batch",
          .inputs = {testing::random_tensor({s[0], s[1], s[2]}, 1, 1, dtype),
                     testing::random_tensor({s[0], s[2], s[3]}, 2, 1, dtype)},
          .run = [](const auto& in) { return matmul(in[0], in[1]); },
          .result = {s[0], s[1], s[3]}};
}

const testing::RegisterOperation registered{{.name = "matmul_batched",
                                             .at = batched_at,
                                             .small = {{3, 2, 4, 3}},
                                             .odd = {{9, 5, 7, 6}, {1, 1, 33, 17}},
                                             .rows = {{.name = "matmul_batched_256x24x64x24",
                                                       .sizes = {256, 24, 64, 24},
                                                       .forward_only = true,
                                                       .flops = 2. * 256 * 24 * 64 * 24}}}};

}  // namespace
}  // namespace attune
