// The names of arrays in models of the types `amun` and `nematus`, which follow Nematus.
#pragma once

#include "convert/marian/options.h"
#include "convert/marian/tensors.h"

namespace attune::marian {

// Lets the arrays of such a model be taken by the names that `s2s` has for them.
void use_old_names(Tensors& tensors, const Options& options);

}  // namespace attune::marian
