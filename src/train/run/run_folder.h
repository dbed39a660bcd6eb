// RunFolder: where a run lives. One job at a time; what it was started with, its checkpoints, its models.
// Rank 0 alone reads and writes; all ranks make the same calls.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/descriptor.h"
#include "io/checkpoint.h"
#include "text/vocabulary/vocabularies.h"
#include "train/data/run_vocabularies.h"
#include "train/learner.h"
#include "train/run/run_file.h"
#include "train/run/train_state.h"

namespace attune {

// Why a checkpoint is written. One for a stop is temporary: a run that is never stopped does not write it, so
// the next checkpoint replaces it.
enum class Saving : uint8_t { regular, stop, end };

class RunFolder {
 public:
  // Makes the folder if need be, and locks it: a second run in it is a UsageError.
  explicit RunFolder(RunConfig& config, Ranks& ranks);

  const std::filesystem::path& path() const { return path_; }

  bool has_checkpoints() const { return !checkpoints_.numbers().empty(); }
  // Marks the vocabularies that an earlier run has made in this folder: they will be made again. For rank 0.
  void disown(std::vector<VocabularyPlan>& plans) const;

  // A UsageError that shows what is no longer as it was when the run was started, unless all of that may
  // change; what is worth knowing is said. Nothing is written.
  struct Changes {
    bool learning_rate = false;  // the schedule starts from another one
    bool steps = false;          // or something else that can help a run that is stuck
  };
  Changes compare(const Vocabularies& vocabularies, const Say& say) const;

  // Removes a run: its checkpoints, models, logs, configuration and the vocabularies that it made; no file
  // that it did not write.
  void forget() const;

  // Writes run.json, config.yml and the vocabularies that were made.
  void begin(const std::vector<VocabularyPlan>& plans, const Vocabularies& vocabularies,
             const std::string& best);

  void save(Learner& learner, TrainState& state, Saving why) const;
  // Brings learner and state back to the newest checkpoint that can be read; false if there is none.
  bool restore(Learner& learner, TrainState& state, const Say& say) const;

  // How many columns the model learned from, for its summary.
  void set_columns(size_t columns) { columns_ = columns; }

  // A model folder of the weights as they are.
  void save_model(const std::string& name, Learner& learner, const Vocabularies& vocabularies,
                  const TrainState& state) const;

  // The mean of the last checkpoints' weights, put in place of the learner's; how many they were. Damaged
  // ones are said and left out.
  int64_t average(Learner& learner, int64_t count, const Say& say) const;

 private:
  bool in_folder(const std::filesystem::path& file) const;
  void tell_last(int64_t number) const;

  RunConfig& config_;
  Ranks& ranks_;
  std::filesystem::path path_;
  Descriptor lock_;
  CheckpointFolder checkpoints_;
  size_t columns_ = 0;
};

// What a run in the folder was started with and is no longer so, a line each; nothing if there is no run, or
// if what has changed may change.
std::string changed_configuration(const std::filesystem::path& folder, const Entries& now);

}  // namespace attune
