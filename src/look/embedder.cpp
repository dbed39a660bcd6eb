#include "look/embedder.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "attune/autograd.h"
#include "attune/error.h"
#include "models/read_tokens.h"
#include "models/task.h"
#include "nn/close_lens.h"

namespace attune {
namespace {

// The states of one stack, by layer.
class StateLens final : public CloseLens {
 public:
  explicit StateLens(AttentionName::Stack stack) : stack_(stack) {}

  bool wants(AttentionName /*name*/) const override { return false; }
  void attention(AttentionName, const Tensor&, const Rows&, const Rows&, int) override {}
  void inputs(AttentionName, const AttentionInputs&) override {}
  void state(AttentionName::Stack stack, int64_t layer, const Tensor& x) override {
    if (stack == stack_ && layer >= 0) states_[layer] = x.to(DType::f32);
  }

  const std::map<int64_t, Tensor>& states() const { return states_; }

 private:
  AttentionName::Stack stack_;
  std::map<int64_t, Tensor> states_;
};

}  // namespace

Embedder::Embedder(const TextModel& model, int64_t layer) : model_(model), layer_(layer) {
  if (model_.models().size() > 1)
    throw UsageError(fmt::format("{}: vectors are those of one model, not of an ensemble", model_.name()));
  if (model_.vocabularies().source->vectors() != nullptr)
    throw UsageError(fmt::format("{}: this model reads numbers, not words", model_.name()));
}

TokenVectors Embedder::embed(const std::string& text) const {
  const NoGrad no_grad;
  const Task& task = model_.task();
  const Vocabularies& vocabularies = model_.vocabularies();
  const Vocabulary& words = *vocabularies.source;
  const bool continues = model_.continues(), writes = model_.writes();
  TokenIds read;
  Batch batch;
  if (continues) {
    read = words.encode(text);
    if (!read.empty()) read.insert(read.begin(), words.bos());
    batch = {.source = read_tokens(words, {TokenIds{}}),
             .given = one_sentence(read),
             .segments = {},
             .expected = {}};
  } else if (writes) {
    read = task.source(vocabularies, text);
    batch = {.source = read_tokens(words, {read}),
             .given = one_sentence({vocabularies.target->bos()}),
             .segments = {},
             .expected = {}};
  } else {
    const auto question = task.question(vocabularies, {&text, 1});
    read = question[0];
    if (!read.empty()) batch = task.batch(vocabularies, {Example{question}});
  }
  TokenVectors all;
  if (read.empty()) return all;
  if (model_.longest() > 0 && std::ssize(read) > model_.longest())
    throw UsageError(fmt::format("{}: the text has {} tokens, but the model takes at most {}", model_.name(),
                                 read.size(), model_.longest()));
  // A model that answers a prompt reads it with its only stack.
  StateLens lens(task.continues_text() ? AttentionName::decoder : AttentionName::encoder);
  Pass pass(&lens);
  model_.models()[0].model->features(batch, pass);
  const auto count = std::ssize(lens.states());
  if (count == 0)
    throw UsageError(
        fmt::format("{}: the vectors of a model of type {} cannot be shown", model_.name(), model_.type()));
  const int64_t at = layer_ < 0 ? count + layer_ : layer_;
  if (at < 0 || at >= count)
    throw UsageError(fmt::format("there is no layer {}: there are layers 0 to {}", layer_, count - 1));
  const Tensor& states = std::next(lens.states().begin(), at)->second;
  for (const int32_t id : read) all.tokens.push_back(words.piece(id));
  const auto numbers = states.span<float>();
  all.vectors = {read.size(), static_cast<size_t>(states.columns()), {}};
  all.vectors.numbers.assign(numbers.begin(),
                             numbers.begin() + static_cast<ptrdiff_t>(read.size() * all.vectors.columns));
  return all;
}

}  // namespace attune
