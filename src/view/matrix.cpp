#include "view/matrix.h"

#include <fmt/core.h>

#include "attune/error.h"

namespace attune::view {

void require_fitting(const AttentionMatrix& matrix) {
  if (matrix.weights.size() != matrix.targets.size())
    throw UsageError(fmt::format("attention with {} rows cannot be drawn for {} target words",
                                 matrix.weights.size(), matrix.targets.size()));
  for (size_t i = 0; i < matrix.weights.size(); ++i)
    if (matrix.weights[i].size() != matrix.sources.size())
      throw UsageError(fmt::format("row {} of the attention has {} weights, but there are {} source words",
                                   i + 1, matrix.weights[i].size(), matrix.sources.size()));
}

}  // namespace attune::view
