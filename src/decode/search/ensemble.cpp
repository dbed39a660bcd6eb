#include "decode/search/ensemble.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attune/error.h"
#include "decode/search/cross_lens.h"

namespace attune {
namespace {

using Attention = std::vector<std::vector<float>>;

// to += factor from
void add(Attention& to, const Attention& from, float factor) {
  if (to.empty())
    for (const auto& row : from) to.emplace_back(row.size());
  for (size_t r = 0; r < from.size(); ++r)
    for (size_t i = 0; i < from[r].size(); ++i) to[r][i] += factor * from[r][i];
}

// A model with fewer heads uses its last one.
Attention chosen(const CrossLens& lens, const AttentionChoice& choice) {
  if (choice.head < 0) return lens.mean_of_heads(choice.layer);
  const int64_t layer = lens.nearest(choice.layer);
  return lens.of_head(layer, static_cast<int>(std::min<int64_t>(choice.head, lens.heads(layer) - 1)));
}

}  // namespace

Ensemble::Ensemble(std::vector<Member> members) : members_(std::move(members)) {
  if (members_.empty()) throw UsageError("ensemble: give at least one model");
  double sum = 0;
  for (const Member& member : members_) {
    if (!(member.weight > 0) || !std::isfinite(member.weight))
      throw UsageError(fmt::format("ensemble: weights must be positive, but one is {}", member.weight));
    const int64_t count = member.model->output_weight().rows();
    if (count != words())
      throw UsageError(fmt::format(
          "ensemble: the models have different target vocabularies, of {} and {} words", words(), count));
    sum += member.weight;
  }
  for (Member& member : members_) member.weight /= sum;
}

int64_t Ensemble::room(int64_t source_words) const {
  int64_t least = members_[0].model->room(source_words);
  for (const Member& member : members_) least = std::min(least, member.model->room(source_words));
  return least;
}

EnsembleRun::EnsembleRun(const Ensemble& ensemble, const Ragged& source,
                         std::optional<AttentionChoice> looking, std::optional<WordLists> lists)
    : ensemble_(ensemble),
      looking_(looking),
      lists_(std::move(lists)),
      sentences_(static_cast<size_t>(source.rows.count())) {
  std::iota(sentences_.begin(), sentences_.end(), 0);
  for (const auto& member : ensemble.members()) {
    Pass pass;
    states_.push_back(member.model->start(source, pass));
    if (lists_)
      outputs_.emplace_back(member.model->output_weight(), member.model->output_bias(), lists_->all());
  }
}

EnsembleRun::Step EnsembleRun::step(const Ragged& tokens) {
  std::vector<int64_t> sentences;  // of each row
  std::vector<std::span<const int32_t>> lists;
  for (size_t h = 0; lists_ && h < sentences_.size(); ++h)
    for (int64_t i = 0; i < tokens.rows.length(static_cast<int64_t>(h)); ++i) {
      sentences.push_back(sentences_[h]);
      lists.push_back(lists_->of(sentences_[h]));
    }
  std::vector<Tensor> logits;
  std::vector<double> weights;
  Attention attention;
  double attending = 0;  // weight of the models that attend to the source
  for (size_t m = 0; m < states_.size(); ++m) {
    const auto& [model, weight] = ensemble_.members()[m];
    CrossLens lens;
    Pass pass(looking_ ? &lens : nullptr);
    const Tensor features = model->step(tokens, *states_[m], pass);
    logits.push_back(lists_ ? lists_->own(outputs_[m](features), sentences) : model->logits(features));
    weights.push_back(weight);
    if (lens.empty()) continue;
    add(attention, chosen(lens, *looking_), static_cast<float>(weight));
    attending += weight;
  }
  if (looking_ && attending == 0)
    throw UsageError(
        "coverage_penalty and alignment need a model that attends to the source; this one does not");
  for (auto& row : attention)
    for (float& x : row) x /= static_cast<float>(attending);
  return {NextWords(logits, weights, std::move(lists)), std::move(attention)};
}

void EnsembleRun::select(std::span<const int64_t> hypotheses) {
  for (auto& state : states_) state = state->select(hypotheses);
  std::vector<int64_t> sentences;
  for (const int64_t h : hypotheses) sentences.push_back(sentences_[static_cast<size_t>(h)]);
  sentences_ = std::move(sentences);
}

}  // namespace attune
