// oneDNN's product of the first two inputs as a peer of a benchmark row; none where attune is built without
// it.
#pragma once

#include "ops/product/onednn.h"
#include "testing/op_case.h"

namespace attune::testing {

inline OpCase::Run onednn_run(bool transpose_a, bool transpose_b) {
  if (!has_onednn()) return {};
  return [=](const auto& in) { return onednn_product(in[0], in[1], transpose_a, transpose_b); };
}

}  // namespace attune::testing
