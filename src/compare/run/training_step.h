// The step of a comparison that trains a model.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compare/recipe.h"
#include "compare/results.h"
#include "train/trainer.h"

namespace attune::compare {

// What has changed (keys and data) since the run was started, one line each; empty if there is no run.
std::string changes_since(Contestant& model);

// Throws the UsageError for a model that has changed.
[[noreturn]] void refuse_changed(const Contestant& model, const std::string& changes);

// The results of its training, if it is finished.
std::optional<Training> trained(Contestant& model);

// Trains it, or resumes, in a separate process. Nothing may have changed since it was started.
Training train_in_child(Contestant& model, TrainWatcher& watcher);

// The model of a finished run that is compared: the best on the validation set, otherwise the last.
std::filesystem::path model_of(const Contestant& model);

// How the finished run ended, and which model model_of() is.
Outcome outcome_of(const Contestant& model);

// Validation values from a metrics.jsonl; numbers that are not finite are a UsageError that names the line.
std::vector<Curve> read_curves(const std::filesystem::path& path);

}  // namespace attune::compare
