// The gates of recurrent layers, told to whoever looks.
#pragma once

#include "nn/close_lens.h"
#include "nn/layers.h"
#include "nn/pass.h"

namespace attune {

// Tells the lens of the pass, if it is a CloseLens and there is one sentence: what the gates let through when
// the layer read x [tokens, in]. `initial`: the states before the first token (undefined: zeros); `all`:
// those after each token.
void tell_gates(const Pass& pass, const RecurrentName& name, const Recurrent& layer, const Tensor& x,
                const Rows& rows, const CellStates& initial, const CellStates& all);

}  // namespace attune
