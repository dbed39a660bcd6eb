// The Transformers whose decoding is measured: random weights, which end every output after kWords words.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "models/blocks/transformer.h"

namespace attune::bench {

constexpr int64_t kSentences = 32, kWords = 24;  // a batch; words of a source and of an output, with </s>

struct DecodingModel {
  std::string name;
  int64_t layers, d, heads, feed_forward, words;

  TransformerConfig config() const;
  // New weights for `parameters`.
  std::unique_ptr<Transformer> make(Parameters& parameters) const;
  // With a vocabulary of SentencePiece whose pieces are w3, w4, ..
  void save(const std::filesystem::path& folder) const;
};

const std::vector<DecodingModel>& decoding_models();

}  // namespace attune::bench
