// The step of a comparison that trains a model.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compare/recipe.h"
#include "compare/results.h"
#include "train/trainer.h"

namespace attune::compare {

// What a run was started with and is no longer so (keys and data), a line each; nothing if there is no run.
std::string changes_since(Contestant& model);

// The UsageError for a model that has changed.
[[noreturn]] void refuse_changed(const Contestant& model, const std::string& changes);

// What training it gave, if that is done.
std::optional<Training> trained(Contestant& model);

// Trains it, or goes on, in a process of its own. Nothing has changed since it was started.
Training train_in_child(Contestant& model, TrainWatcher& watcher);

// The model of a finished run that is compared: the best on the validation set, else the last.
std::filesystem::path model_of(const Contestant& model);

// Validation values of a metrics.jsonl; numbers that are not finite are a UsageError that names the line.
std::vector<Curve> read_curves(const std::filesystem::path& path);

}  // namespace attune::compare
