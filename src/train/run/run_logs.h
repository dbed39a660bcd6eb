// RunLogs: the files that grow during a run. Their contents up to a checkpoint belong to it: a run that
// resumes from there cuts off the rest.
#pragma once

#include "train/run/reporter.h"
#include "train/run/validation_log.h"

namespace attune {

class RunLogs {
 public:
  // The files continue where the checkpoint of the state left them.
  RunLogs(Console& console, const RunConfig& config, const Vocabularies& vocabularies, size_t columns,
          const Model& model, const TrainState& state)
      : reporter(console, config.train, state),
        validations_(config, vocabularies, columns, model, state.validations_bytes) {}

  void validation(const TrainState& state, const Validation& result, double seconds) {
    reporter.validation(state, result, seconds);
    validations_.append(state.progress.updates, result);
  }

  void note_sizes(TrainState& state) const {
    state.metrics_bytes = reporter.metrics_bytes();
    state.validations_bytes = validations_.bytes();
  }
  void sync() const {
    reporter.sync();
    validations_.sync();
  }

  Reporter reporter;

 private:
  ValidationLog validations_;
};

}  // namespace attune
