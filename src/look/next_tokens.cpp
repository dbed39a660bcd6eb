#include "look/next_tokens.h"

#include <fmt/core.h>

#include <cmath>

#include "attune/autograd.h"
#include "attune/error.h"
#include "decode/word_choice/next_words.h"
#include "models/read_tokens.h"
#include "models/task.h"

namespace attune {
namespace {

// A vocabulary may spell a text in another way; what the user wrote stays.
std::string continued(const std::string& text, const std::string& before, const std::string& after) {
  return after.starts_with(before) ? text + after.substr(before.size()) : after;
}

}  // namespace

std::vector<NextToken> next_tokens(const TextModel& model, const std::string& text, int64_t count) {
  if (!model.task().continues_text())
    throw UsageError(
        fmt::format("{}: a model that {} does not continue texts", model.name(), model.task().does()));
  const auto& [from, to] = model.vocabularies();
  const TokenIds prompt =
      model.continues() ? to->encode(text) : model.task().source(model.vocabularies(), text);
  TokenIds given{to->bos()};
  if (model.continues()) given.insert(given.end(), prompt.begin(), prompt.end());
  if (model.longest() > 0 && std::ssize(prompt) + 1 > model.longest())
    throw UsageError(fmt::format("{}: the text has {} tokens, which leaves the model no room to write",
                                 model.name(), prompt.size()));
  const NoGrad no_grad;
  std::vector<Tensor> logits;
  std::vector<double> weights;
  for (const WeightedModel& each : model.models()) {
    Pass pass;
    const Tensor features =
        each.model->features({.source = read_tokens(*from, {model.continues() ? TokenIds{} : prompt}),
                              .given = one_sentence(given),
                              .segments = {},
                              .expected = {}},
                             pass);
    logits.push_back(each.model->logits(features));
    weights.push_back(each.weight);
  }
  const NextWords words(logits, weights);
  TokenIds all = model.continues() ? prompt : TokenIds{};
  const std::string before = to->decode(all);
  std::vector<NextToken> next;
  for (const auto& [id, log_p] : words.best(words.rows() - 1, count)) {
    all.push_back(id);
    next.push_back(
        {to->piece(id), std::exp(log_p), id == to->eos() ? text : continued(text, before, to->decode(all))});
    all.pop_back();
  }
  return next;
}

}  // namespace attune
