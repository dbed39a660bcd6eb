// The vocabularies of a Marian model in attune's terms: a SentencePiece model, a list of words with their ids
// (.yml, .json, or a word a line), or, as OPUS-MT has them, a SentencePiece model whose pieces have the ids
// of such a list.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "attune/tensor.h"
#include "text/vocabulary/vocabularies.h"

namespace attune::marian {

// Where one side's vocabulary is: one or both of the files.
struct VocabularyFiles {
  std::filesystem::path pieces;  // .spm
  std::filesystem::path ids;
  // With both files: the row of the word that begins a target, which becomes <s>; none: zeros do.
  std::optional<int64_t> start = {};

  bool operator==(const VocabularyFiles&) const = default;
};

// One side's vocabulary, and for each of its tokens the row of Marian's tables.
struct MarianVocabulary {
  std::shared_ptr<const Vocabulary> words;
  std::vector<int64_t> rows;  // -1: Marian does not have the token
  int64_t unknown = 0;        // the row of <unk>

  // Rows of a table [Marian's words, d] in attune's order; a token that Marian does not have is <unk>.
  Tensor embeddings(const Tensor& table) const;
  // The same for the output's weights and bias; such a token is never written.
  Tensor bias(const Tensor& list) const;
};

struct MarianVocabularies {
  MarianVocabulary source, target;

  // Whether both sides have the same tokens in the same rows, though perhaps another way to split text.
  bool same_tokens() const;
};

// `sizes` are the numbers of words that the model has on its two sides.
MarianVocabularies read_vocabularies(const VocabularyFiles& source, const VocabularyFiles& target,
                                     const std::vector<int64_t>& sizes);

}  // namespace attune::marian
