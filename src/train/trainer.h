// Training, from text files to model folders.
//
// The path of the data from files to weights: each station, its type, and where it is.
//
//   text        Corpus: lines with columns, from the files of train_sets (text/corpus/corpus.h).
//   example     Example: a line's token ids (text/corpus/example.h), which the Task (models/task.h) makes;
//               make_examples (train/data/examples.h) runs in the thread of the BatchReader.
//   batch       Examples of like length, cut by the BatchReader (text/corpus/batches.h); then Batch, their
//               tensors (models/model.h), by Task::batch.
//   step        gradient_step (train/gradient_step.h): words are dropped and sampled, and Learner::add adds
//               the gradient of the batch's loss to that of the batches before (train/learner.h).
//   update      Learner::update: the mean over all batches and ranks, clipped; then Adam.
//   checkpoint  RunFolder::save (train/run/run_folder.h): the Learner's tensors and TrainState
//               (train/run/train_state.h), which has the BatchPosition to read on from.
#pragma once

#include "ranks/ranks.h"
#include "train/plan/complete_run.h"
#include "train/run/train_state.h"
#include "train/train_config.h"
#include "train/validation.h"

namespace attune {

enum class TrainEnd : uint8_t { finished, interrupted };

// Follows a run in its own way.
class TrainWatcher {
 public:
  virtual ~TrainWatcher() = default;
  // Whether the run writes its log to stderr too; its files are the same.
  virtual bool log_to_stderr() const { return false; }
  virtual void started(int64_t /*parameters*/) {}
  // After each update; `share` is how much of the run is done; negative: the run has no end.
  virtual void updated(const TrainState& /*state*/, double /*share*/) {}
  virtual void validated(const Progress& /*progress*/, const Validation& /*validation*/) {}
};

// Trains, or resumes training, in the folder that the configuration names. A problem with the configuration
// or the data is a UsageError; work that failed is an Error. With several ranks all of them call it: each
// takes its share of the batches, and only rank 0 writes.
//
// With `anew`, a run that is already in the folder is removed, with all that it wrote and nothing else, after
// the configuration and the data have been checked.
TrainEnd train(RunConfig& config, TrainWatcher* watcher = nullptr, Ranks& ranks = alone(),
               TrainFrom from = TrainFrom::checkpoint);

}  // namespace attune
