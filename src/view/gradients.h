// Gradient x input drawn as attention is.
#pragma once

#include "view/attention.h"

namespace attune::view {

// Of a row of numbers, the shares of their absolute values, which sum to 1; all 0 if they are.
NumberTable shares(const NumberTable& table);

// Shares of the gradients in the place of the layers of attention.
void show_gradients(Attention& attention);

}  // namespace attune::view
