// The loss of guided alignment: how much attention differs from the alignment.
#pragma once

#include <cstdint>

#include "attune/rows.h"
#include "attune/tensor.h"

namespace attune {

// Of a query whose energies e have n links l_j = 1 (the other l_j are 0), with a = softmax(e):
//   ce    -1/n sum_j l_j log a_j        (Chen et al. 2016; Garg et al. 2019)
//   mult  -log sum_j l_j a_j            the weight may be anywhere among the links
//   mse   sum_j (a_j - l_j / n)^2
enum class AlignmentCost : uint8_t { ce, mult, mse };

// The sum over all queries that have a link. `rows` has one row per query: see pair_rows.
Tensor alignment_loss(const Tensor& energy, const Tensor& links, const Rows& rows,
                      AlignmentCost cost);  // [pairs] [pairs] -> []

}  // namespace attune
