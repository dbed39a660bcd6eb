// Decoder-only models: they read the source as the beginning of the text that they continue. Reading waits
// for the first tokens, so that training runs over both at once.
#pragma once

#include "nn/ragged.h"

namespace attune {

struct Prompted {
  Ragged text;                   // every prompt followed by its tokens
  std::vector<int64_t> written;  // positions of the tokens in it
};
Prompted prompted(const Ragged& prompt, const Ragged& tokens);

// Selects the rows of the tokens from those of the whole text.
inline Tensor written_rows(const Tensor& all, const Prompted& prompted) {
  return all.rows() == static_cast<int64_t>(prompted.written.size()) ? all : take_rows(all, prompted.written);
}

// The prompts of the selected sentences.
Ragged take_sentences(const Ragged& prompts, std::span<const int64_t> sentences);

}  // namespace attune
