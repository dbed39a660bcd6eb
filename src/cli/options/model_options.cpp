#include "cli/options/model_options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "attune/error.h"
#include "cli/options/config_options.h"

namespace attune::cli {
namespace {

bool same(const Vocabulary& a, const Vocabulary& b) { return &a == &b || a.serialized() == b.serialized(); }

void check_that_they_fit(const ModelFolder& first, const ModelFolder& other) {
  if (!same(*first.vocabularies.target, *other.vocabularies.target) ||
      !same(*first.vocabularies.source, *other.vocabularies.source))
    throw UsageError(fmt::format("{} and {} have different vocabularies and cannot work together",
                                 first.path.string(), other.path.string()));
  const TaskKind a = first.config->task(), b = other.config->task();
  if (a != b)
    throw UsageError(fmt::format("{} {} and {} {}: they cannot work together", first.path.string(),
                                 what_it_does(a), other.path.string(), what_it_does(b)));
}

}  // namespace

const char* what_it_does(TaskKind task) {
  switch (task) {
    case TaskKind::translate: return "translates";
    case TaskKind::write: return "continues text";
    case TaskKind::tag: return "tags words";
    case TaskKind::fill: return "fills in masked words";
    case TaskKind::classify: return "classifies texts";
  }
  return "";
}

std::vector<WeightedModel> LoadedModels::models() const {
  std::vector<WeightedModel> all;
  for (size_t i = 0; i < folders.size(); ++i) all.push_back({folders[i].model.get(), weights[i]});
  return all;
}

Ensemble LoadedModels::writers() const {
  std::vector<Ensemble::Member> members;
  for (size_t i = 0; i < folders.size(); ++i) {
    const auto* writer = dynamic_cast<const Writer*>(folders[i].model.get());
    if (writer == nullptr || task() == TaskKind::tag)
      throw UsageError(fmt::format("{}: this model {} and does not write text; use {} for it",
                                   folders[i].path.string(), what_it_does(task()),
                                   task() == TaskKind::fill ? "`attune fill`" : "`attune classify`"));
    members.push_back({writer, weights[i]});
  }
  return Ensemble(members);
}

ModelOptions::ModelOptions(CLI::App& app) {
  app.add_option("-m,--model", paths_, "model folder, or folder of a run; several form an ensemble")
      ->required()
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  take_list(*app.add_option("--weights", weights_, "weights of the models in an ensemble"));
}

LoadedModels ModelOptions::load() const {
  if (!weights_.empty() && weights_.size() != paths_.size())
    throw UsageError(fmt::format("there are {} models, but {} weights", paths_.size(), weights_.size()));
  for (const double weight : weights_)
    if (!(weight > 0) || !std::isfinite(weight))
      throw UsageError(fmt::format("--weights: a weight should be positive, but is {}", weight));
  LoadedModels loaded;
  for (const std::string& path : paths_) {
    loaded.folders.push_back(load_model_folder(path));
    check_that_they_fit(loaded.folders[0], loaded.folders.back());
    const int64_t longest = loaded.folders.back().config->longest();
    if (longest > 0) loaded.longest = loaded.longest > 0 ? std::min(loaded.longest, longest) : longest;
  }
  loaded.weights = weights_.empty() ? std::vector<double>(paths_.size(), 1.0) : weights_;
  const double sum = std::accumulate(loaded.weights.begin(), loaded.weights.end(), 0.0);
  for (double& weight : loaded.weights) weight /= sum;
  return loaded;
}

}  // namespace attune::cli
