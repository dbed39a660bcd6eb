// The vocabularies of a CTranslate2 folder in attune's terms.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "attune/tensor.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

// The names of CTranslate2's special tokens.
struct SpecialTokens {
  std::string unk = "<unk>", bos = "<s>", eos = "</s>";
};

// One side's vocabulary: SentencePiece if the folder has its model, otherwise a list of words or characters.
struct ImportedVocabulary {
  std::shared_ptr<const Vocabulary> vocabulary;
  std::vector<std::string> tokens;  // in CTranslate2's order
  std::vector<int64_t> rows;        // for each of attune's tokens, its row; -1: none

  // The index of a token in CTranslate2's list; -1: not in the list.
  int64_t row_of(const std::string& token) const;
  // Rows of a table [tokens, d] or of a list [tokens], in attune's order; `missing` for tokens without a row.
  Tensor reordered(const Tensor& table, float missing) const;
};

// `side` is "source" or "target". A UsageError if the folder has neither `SIDE_vocabulary` nor
// `shared_vocabulary`, .json or .txt.
ImportedVocabulary read_vocabulary(const std::filesystem::path& folder, const std::string& side,
                                   const SpecialTokens& special);
bool has_shared_vocabulary(const std::filesystem::path& folder);

}  // namespace attune
