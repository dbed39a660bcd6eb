// Training, from text files to model folders, as `attune train` does it.
//
//   attune::train({{"train_sets", {"train.en", "train.de"}}, {"model", "runs/en-de"}, {"time", "10min"}});
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "attune/settings.h"

namespace attune {

struct TrainingProgress {
  int64_t updates = 0, epochs = 0;  // epochs: complete ones
  int64_t tokens = 0;               // target tokens learned from
  double seconds = 0;               // that the run has taken, with all its parts
  double share = 0;                 // of the run that is done; negative: it has no end
  double loss = 0;                  // for each token, over the updates since the last line of the log
  double learning_rate = 0;
};

struct MetricValue {
  std::string metric;
  double value = 0;
};

struct TrainingSample {
  std::string source, reference, output;
};

struct TrainingOptions {
  std::filesystem::path config = {};  // a YAML file, which the settings override
  bool overwrite = false;             // start over in a folder that holds a run
  // Called in the training thread. If one of them is set, the run writes its log only to its folder. An
  // exception ends the run with everything saved.
  std::function<void(const TrainingProgress&)> on_progress = {};  // a few times a second
  std::function<void(const TrainingProgress&, const std::vector<MetricValue>&,
                     const std::vector<TrainingSample>&)>
      on_validation = {};
};

struct TrainingResult {
  bool finished = true;         // otherwise it was interrupted (Ctrl-C), and the same call continues it
  std::filesystem::path model;  // the best model of the run; empty if there is none yet
  TrainingProgress progress = {};
  std::vector<MetricValue> scores = {};  // of the last validation
};

// Trains, or resumes training, in the folder that the setting `model` names. A problem with the settings or
// the data is a UsageError.
TrainingResult train(const Settings& settings, const TrainingOptions& options = {});

}  // namespace attune
