// The two files of a llama2.c model (version 0). The model, MODEL.bin:
//   i32 d, hidden, layers, heads, key/value heads, words (negative: an output layer of its own), positions;
//   then f32: embeddings [words, d], and of all layers together the norms before attention [d], W_q [d, d],
//   W_k, W_v [key/value heads d/heads, d], W_o [d, d], the norms before the networks [d], gates [hidden, d],
//   outputs [d, hidden], inputs [hidden, d]; the last norm [d]; cosines and sines [positions, d/heads / 2];
//   the output layer [words, d] where it has one.
// The vocabulary, tok*.bin: i32 longest token, then for each word f32 score, i32 length, text.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "attune/tensor.h"
#include "io/files/file.h"
#include "text/vocabulary/vocabulary.h"

namespace attune::llama2c {

struct Sizes {
  int64_t d, hidden, layers, heads, kv_heads, words, positions;
  bool own_output;

  int64_t head() const { return d / heads; }
  int64_t kv() const { return kv_heads * head(); }
  int64_t numbers() const {  // after the sizes
    const int64_t layer = 2 * d + 2 * d * d + 2 * kv() * d + 3 * hidden * d;
    return words * d * (own_output ? 2 : 1) + layers * layer + d + positions * head();
  }
};

// Nothing, if this cannot be the beginning of such a file.
std::optional<Sizes> sizes_of(std::span<const std::byte> model);

// By attune's names. A file of another length than its sizes require is a UsageError, before anything is
// allocated.
std::map<std::string, Tensor, std::less<>> read_weights(std::shared_ptr<const FileBytes> model,
                                                        const Sizes& sizes);

// A UsageError that names the byte, if the file does not have that many words.
std::shared_ptr<const Vocabulary> read_vocabulary(const std::filesystem::path& path, int64_t words);

}  // namespace attune::llama2c
