// The matrices of one head among all that a layer has: they are what makes a page large.
#pragma once

#include "view/attention.h"

namespace attune::view {

// How much a matrix looks like an alignment: the mean of the rows' greatest weights, times the share of
// columns that some row prefers.
double sharpness(const AttentionLayer& layer, size_t matrix);

// Leaves x and the matrices only in the inputs of one layer, and only those of one head: the one that is
// chosen, or the sharpest among those that the choice allows.
void keep_matrices(Attention& attention, const AttentionChoice& choice);

}  // namespace attune::view
