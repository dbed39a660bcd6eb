// Masked language modelling (Devlin et al. 2019, 3.1): a share of the tokens is chosen; of these, 80% become
// the mask, 10% a random word, 10% stay. The model has to predict the original token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attune/random.h"

namespace attune {

struct MaskOptions {
  double share = 0.15;
  int32_t mask = 0;                   // the mask's id
  int32_t first_word = 0, words = 0;  // ids from first_word to words - 1 may be chosen or inserted
};

struct Masked {
  std::vector<int32_t> ids;
  std::vector<int32_t> expected;  // kIgnore where a token was not chosen
};

// Special symbols (ids below first_word) are never chosen.
Masked mask_tokens(std::span<const int32_t> ids, const MaskOptions& options, const Random& random);

}  // namespace attune
