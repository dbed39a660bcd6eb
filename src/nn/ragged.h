// Sentences laid end to end, and selecting among them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "attune/ops.h"

namespace attune {

// Which tokens each token sees: itself, and those that edges lead to.
struct Edges {
  Rows rows;     // one per token, as long as it has edges
  Tensor to;     // i32 [edges]: the token that each leads to, counted through the batch
  Tensor kinds;  // i32 [edges]: 0 for a token itself, otherwise the number of the edge's kind
};

// What a model reads or writes.
struct Ragged {
  Tensor ids;  // i32 [tokens]
  Rows rows;
  Tensor vectors = {};                           // [tokens, width]: what is read in place of words
  std::shared_ptr<const Edges> edges = nullptr;  // null: none are given
  Tensor places = {};  // f32 [tokens, 1], or [tokens, 2] on a grid; undefined: by index
  // Several sources: each by itself. Then ids and rows have the tokens of all, one source after another.
  std::vector<Ragged> parts = {};

  bool has_words() const { return !vectors && parts.empty(); }
};

Ragged ragged(const std::vector<std::vector<int32_t>>& sentences);
Ragged one_sentence(const std::vector<int32_t>& ids);
Ragged one_token_each(const std::vector<int32_t>& ids);  // as many sentences as tokens
Ragged empty_sentences(int64_t count);

// The ids, with kNoWord (whose embedding is zero) in place of the first token of every sentence: those that
// do not follow `before`.
Tensor without_first(const Ragged& tokens, const Rows& before);

// The selected rows of x, in that order; rows may be repeated.
Tensor take_rows(const Tensor& x, std::span<const int64_t> rows);

// The selected sentences.
Rows take_sentences(const Rows& rows, std::span<const int64_t> sentences);
// Their tokens, in that order.
std::vector<int64_t> tokens_of(const Rows& rows, std::span<const int64_t> sentences);

// For each token the number of its sentence.
std::vector<int64_t> sentence_of_tokens(const Rows& rows);

// The position of every token, i32 [tokens], if `before` counts the tokens before them.
Tensor token_positions(const Rows& before, const Rows& tokens);

// Every sentence of `first` followed by the same sentence of `second`.
Rows joined(const Rows& first, const Rows& second);
// The positions in concat_rows({first, second}) of the tokens of the joined sentences.
std::vector<int64_t> joined_tokens(const Rows& first, const Rows& second);
std::vector<int64_t> joined_tokens(std::span<const Rows> parts);  // of any number of parts

}  // namespace attune
