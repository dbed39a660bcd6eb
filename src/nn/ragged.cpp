#include "nn/ragged.h"

#include "base/check.h"

namespace attune {
namespace {

Tensor tensor_of(const std::vector<int32_t>& ids) {
  return Tensor::of<int32_t>({static_cast<int64_t>(ids.size())}, ids);
}

}  // namespace

Ragged ragged(const std::vector<std::vector<int32_t>>& sentences) {
  std::vector<int32_t> ids;
  std::vector<int64_t> lengths;
  for (const auto& sentence : sentences) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    lengths.push_back(static_cast<int64_t>(sentence.size()));
  }
  return {tensor_of(ids), Rows(lengths)};
}

Ragged one_sentence(const std::vector<int32_t>& ids) {
  return {tensor_of(ids), Rows{static_cast<int64_t>(ids.size())}};
}

Ragged one_token_each(const std::vector<int32_t>& ids) {
  return {tensor_of(ids), Rows::uniform(static_cast<int64_t>(ids.size()), 1)};
}

Ragged empty_sentences(int64_t count) { return {Tensor({0}, DType::i32), Rows::uniform(count, 0)}; }

Tensor without_first(const Ragged& tokens, const Rows& before) {
  const Tensor ids = tokens.ids.clone();
  for (int64_t s = 0; s < tokens.rows.count(); ++s)
    if (before.length(s) == 0 && tokens.rows.length(s) > 0)
      ids.data<int32_t>()[tokens.rows.begin(s)] = kNoWord;
  return ids;
}

Tensor take_rows(const Tensor& x, std::span<const int64_t> rows) {
  const std::vector<int32_t> ids(rows.begin(), rows.end());
  return embedding(x, tensor_of(ids));
}

Rows take_sentences(const Rows& rows, std::span<const int64_t> sentences) {
  std::vector<int64_t> lengths;
  for (const int64_t s : sentences) lengths.push_back(rows.length(s));
  return Rows(lengths);
}

std::vector<int64_t> tokens_of(const Rows& rows, std::span<const int64_t> sentences) {
  std::vector<int64_t> tokens;
  for (const int64_t s : sentences)
    for (int64_t t = rows.begin(s); t < rows.end(s); ++t) tokens.push_back(t);
  return tokens;
}

std::vector<int64_t> sentence_of_tokens(const Rows& rows) {
  std::vector<int64_t> sentences;
  for (int64_t s = 0; s < rows.count(); ++s)
    sentences.insert(sentences.end(), static_cast<size_t>(rows.length(s)), s);
  return sentences;
}

Tensor token_positions(const Rows& before, const Rows& tokens) {
  std::vector<int32_t> positions;
  for (int64_t s = 0; s < tokens.count(); ++s)
    for (int64_t i = 0; i < tokens.length(s); ++i)
      positions.push_back(static_cast<int32_t>(before.length(s) + i));
  return tensor_of(positions);
}

Rows joined(const Rows& first, const Rows& second) {
  check(first.count() == second.count(), "{} sentences cannot be joined with {}", first.count(),
        second.count());
  std::vector<int64_t> lengths;
  for (int64_t s = 0; s < first.count(); ++s) lengths.push_back(first.length(s) + second.length(s));
  return Rows(lengths);
}

std::vector<int64_t> joined_tokens(const Rows& first, const Rows& second) {
  const Rows parts[] = {first, second};
  return joined_tokens(parts);
}

std::vector<int64_t> joined_tokens(std::span<const Rows> parts) {
  std::vector<int64_t> tokens;
  for (int64_t s = 0; s < parts[0].count(); ++s) {
    int64_t before = 0;
    for (const Rows& part : parts) {
      for (int64_t t = part.begin(s); t < part.end(s); ++t) tokens.push_back(before + t);
      before += part.total();
    }
  }
  return tokens;
}

}  // namespace attune
