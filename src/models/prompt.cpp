#include "models/prompt.h"

#include "base/check.h"

namespace attune {

Prompted prompted(const Ragged& prompt, const Ragged& tokens) {
  check(prompt.rows.count() == tokens.rows.count(),
        "step: tokens for {} sentences were given, but {} were started", tokens.rows.count(),
        prompt.rows.count());
  const auto order = joined_tokens(prompt.rows, tokens.rows);
  Prompted result{
      {Tensor({static_cast<int64_t>(order.size())}, DType::i32), joined(prompt.rows, tokens.rows)}, {}};
  const int64_t prompts = prompt.rows.total();
  for (size_t i = 0; i < order.size(); ++i) {
    const bool is_prompt = order[i] < prompts;
    result.text.ids.data<int32_t>()[i] =
        is_prompt ? prompt.ids.data<int32_t>()[order[i]] : tokens.ids.data<int32_t>()[order[i] - prompts];
    if (!is_prompt) result.written.push_back(static_cast<int64_t>(i));
  }
  return result;
}

Ragged take_sentences(const Ragged& prompts, std::span<const int64_t> sentences) {
  std::vector<int32_t> ids;
  for (const int64_t token : tokens_of(prompts.rows, sentences))
    ids.push_back(prompts.ids.data<int32_t>()[token]);
  return {Tensor::of<int32_t>({static_cast<int64_t>(ids.size())}, ids),
          take_sentences(prompts.rows, sentences)};
}

}  // namespace attune
