// RunFolder: the folder of a run, used by one job at a time: what it was started with, its checkpoints, its
// models. Only rank 0 reads and writes; all ranks make the same calls.
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
  // Creates the folder if necessary, and locks it: a second run in it is a UsageError.
  explicit RunFolder(RunConfig& config, Ranks& ranks);

  const std::filesystem::path& path() const { return path_; }

  bool has_checkpoints() const { return !checkpoints_.numbers().empty(); }
  // Marks the vocabularies that an earlier run has made in this folder, so that they are made again. For rank
  // 0.
  void disown(std::vector<VocabularyPlan>& plans) const;

  // Throws a UsageError that lists what has changed since the run was started, unless all of it may change;
  // reports what is worth knowing. Nothing is written.
  struct Changes {
    bool learning_rate = false;  // start the schedule from the new one
    bool steps = false;          // something changed that can help a run that is stuck
  };
  Changes compare(const Vocabularies& vocabularies, const Say& say) const;

  // Removes a run: its checkpoints, models, logs, configuration and the vocabularies that it made, but no
  // file that it did not write.
  void forget() const;

  // Writes run.json, config.yml and the vocabularies that were made.
  void begin(const std::vector<VocabularyPlan>& plans, const Vocabularies& vocabularies,
             const std::string& best);

  void save(Learner& learner, TrainState& state, Saving why) const;
  // Restores learner and state from the newest checkpoint that can be read; false if there is none.
  bool restore(Learner& learner, TrainState& state, const Say& say) const;

  // The number of columns that the model learns from, for its summary.
  void set_columns(size_t columns) { columns_ = columns; }
  // The options for decoding of the model that it started from.
  void set_decoding(const Entries& decoding) { decoding_ = decoding; }

  // Writes the current weights as a model folder.
  void save_model(const std::string& name, Learner& learner, const Vocabularies& vocabularies,
                  const TrainState& state) const;

  // Replaces the learner's weights by the mean of the last checkpoints, and returns how many there were.
  // Damaged ones are reported and left out.
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
  Entries decoding_;
};

// What has changed since the run in the folder was started, one line each; empty if there is no run, or if
// these changes are allowed.
std::string changed_configuration(const std::filesystem::path& folder, const Entries& now);

}  // namespace attune
