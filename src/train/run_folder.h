// RunFolder: where a run lives. One job at a time; what it was started with, its checkpoints, its models.
// Rank 0 alone reads and writes; all ranks make the same calls.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "io/checkpoint.h"
#include "text/vocabularies.h"
#include "train/learner.h"
#include "train/train_state.h"

namespace attune {

class RunFolder {
 public:
  // Makes the folder if need be, and locks it: a second run in it is a UsageError.
  explicit RunFolder(RunConfig& config, Ranks& ranks);

  const std::filesystem::path& path() const { return path_; }

  // config.yml is written at the first start. At a resume it is compared: a UsageError that shows what has
  // changed, unless all of that is harmless.
  void keep_config();

  void save(Learner& learner, TrainState& state) const;
  // Brings learner and state back to the newest checkpoint that can be read; false if there is none.
  bool restore(Learner& learner, TrainState& state, const std::function<void(const std::string&)>& say) const;

  // How many columns the model learned from, for its summary.
  void set_columns(size_t columns) { columns_ = columns; }

  // A model folder of the weights as they are.
  void save_model(const std::string& name, Learner& learner, const Vocabularies& vocabularies,
                  const TrainState& state) const;

  // The mean of the last checkpoints' weights, put in place of the learner's; how many they were.
  int64_t average(Learner& learner, int64_t count) const;

 private:
  void tell_last(int64_t number) const;

  RunConfig& config_;
  Ranks& ranks_;
  std::filesystem::path path_;
  Descriptor lock_;
  CheckpointFolder checkpoints_;
  size_t columns_ = 0;
};

// What a run in the folder was started with and is no longer so, a line each; nothing if there is no run, or
// if what has changed is harmless.
std::string changed_configuration(const std::filesystem::path& folder, const Entries& now);

}  // namespace attune
