// What a convolution over ragged sentences sees: the neighbours of each token, side by side.
#pragma once

#include "nn/ragged.h"

namespace attune {

// [tokens, d] -> [tokens, width d]: for each token the `width` rows of its sentence that end `ahead` tokens
// after it. Beyond the ends of a sentence there are zeros; before its beginning the `width - 1 - ahead` rows
// of `before` (as last_rows gives them) if it is defined.
Tensor neighbours(const Tensor& x, const Rows& rows, int64_t width, int64_t ahead, const Tensor& before = {});

// The last `count` rows of each sentence, with those of `before` in front of it: [sentences count, d].
Tensor last_rows(const Tensor& x, const Rows& rows, int64_t count, const Tensor& before = {});

}  // namespace attune
