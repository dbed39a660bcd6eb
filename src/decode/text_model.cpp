#include "decode/text_model.h"

#include <fmt/core.h>

#include "attune/error.h"

namespace attune {

TextModel::TextModel(std::vector<WeightedModel> models, ModelFacts facts)
    : models_(std::move(models)), facts_(std::move(facts)) {
  double sum = 0;
  for (const WeightedModel& each : models_) sum += each.weight;
  for (WeightedModel& each : models_) each.weight /= sum;
  std::vector<Ensemble::Member> members;
  for (const auto& [model, weight] : models_)
    if (const auto* writer = dynamic_cast<const Writer*>(model)) members.push_back({writer, weight});
  // A tagger proceeds token by token like a writer, but its words are tags.
  if (members.size() == models_.size() && task().writes_text())
    writing_ = Writing{Ensemble(std::move(members)), PieceTexts(*vocabularies().target)};
}

TextModel::TextModel(const Model& model, const ModelConfig& config, const Vocabularies& vocabularies,
                     bool answers)
    : TextModel({{&model}}, {.task = config.task(),
                             .name = config.type(),
                             .type = config.type(),
                             .vocabularies = vocabularies,
                             .longest = config.longest(),
                             .answers = answers}) {}

const TextModel::Writing& TextModel::writing() const {
  if (!writing_)
    throw UsageError(fmt::format("{}: this model {} and does not write text; use `attune {}` with it", name(),
                                 task().does(), task().verb()));
  return *writing_;
}

}  // namespace attune
