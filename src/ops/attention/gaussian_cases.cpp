#include "attune/ops/attention.h"
#include "testing/operation.h"

namespace attune {
namespace {

using testing::OpCase;
using testing::Sizes;

// sentences, queries and keys of each
OpCase gaussian_at(const Sizes& s, DType dtype) {
  const Rows queries = Rows::uniform(s[0], s[1]), keys = Rows::uniform(s[0], s[2]);
  return {.name = "gaussian_weights",
          .inputs = {testing::random_tensor({s[0] * s[1] * s[2]}, 1, 1, dtype),
                     testing::random_tensor({s[0] * s[1]}, 2, 3, dtype)},
          .run = [=](const auto& in) { return gaussian_weights(in[0], in[1], queries, keys, 1.5); },
          .result = {s[0] * s[1] * s[2]}};
}

const testing::RegisterOperation registered{{.name = "gaussian_weights",
                                             .at = gaussian_at,
                                             .small = {{2, 2, 4}},
                                             .odd = {{1, 1, 1}, {0, 2, 3}, {3, 7, 33}},
                                             .tolerance = 1e-5,
                                             .rows = {}}};

}  // namespace
}  // namespace attune
