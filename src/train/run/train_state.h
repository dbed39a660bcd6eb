// TrainState: everything about a run except its tensors. It is part of checkpoints; a run that starts from
// one continues as if it had never stopped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/fields.h"
#include "text/corpus/batches.h"
#include "train/learner.h"
#include "train/period.h"

namespace attune {

struct Validation;

struct TrainState {
  Progress progress;
  BatchPosition position;
  int64_t batches = 0;     // read so far: the number of the next batch's random numbers
  double rate_factor = 1;  // how far plateaus and returns have reduced the learning rate
  int64_t stalled = 0;     // validations without improvement
  int64_t plateau = 0;     // the same, since the learning rate was last reduced
  int64_t skipped = 0;     // updates that were not finite
  int64_t skipped_in_a_row = 0, returns = 0;
  int64_t validations = 0, saves = 0, displays = 0;  // periods of each that have passed
  Learner::Sums shown;                               // since the last line of the log
  int64_t shown_updates = 0;
  double shown_seconds = 0, shown_exchange = 0, shown_waiting = 0;  // the latter: waiting for other ranks
  int64_t ranks = 1, batches_an_update = 1;                         // at the last start
  double shown_norm = 0, shown_rate = 0;                            // at the last update
  bool finished = false;
  bool behind = false;  // what was due after the last update (a log line, a validation) has not been done yet
  static constexpr int64_t kNone = -1;
  int64_t saved = kNone;      // the update of the last checkpoint
  int64_t validated = kNone;  // the update of the last validation
  int64_t passing = kNone;    // that of a checkpoint for a stop, which the next one replaces
  int64_t metrics_bytes = 0, validations_bytes = 0;  // lengths of the logs
  std::vector<std::string> best;                     // "bleu 31.25 1200": metric, value, update
  std::vector<std::string> other_sets;  // "dev2: bleu 28.1": scores of the best model on sets after the first
  bool pretrained = false;              // it could do before the first update what it is trained for
  // "bleu 28.1 dev2": scores on all sets of a pretrained model, and of the best one.
  std::vector<std::string> before, after;

  static void fields(FieldsOf<TrainState> f);

  struct Best {
    std::string metric;
    double value;
    int64_t update;
  };
  std::vector<Best> bests() const;
  std::optional<Best> best_of(const std::string& metric) const;
  void set_best(const std::string& metric, double value);
  // Counts a validation of the weights after the last update. Returns the metrics by which they are the best.
  std::vector<std::string> take(const Validation& validation);
};

}  // namespace attune
