// Predicts the speed and memory of a run by measuring some of its own batches.
#pragma once

#include <optional>

#include "train/data/guidance.h"
#include "train/learner.h"

namespace attune {

struct Speed {
  int64_t updates = 0;  // number of measured updates
  double seconds = 0;
  double tokens = 0;       // target tokens, as `after: 10Mt` and the log count them
  double side_tokens = 0;  // of all sides of the examples
  double loss = 0;         // per token, of the last update
  int64_t memory = 0;      // of the process at its peak, in bytes

  double tokens_per_second() const { return tokens / seconds; }
};

// Trains for about this long, at least one update, without changing the weights.
Speed measure_speed(const RunConfig& run, const Corpus& corpus, const Vocabularies& vocabularies,
                    const Guidance* guidance, Learner& learner, double seconds);

struct TrainingTime {
  double epoch = 0;                            // seconds
  std::optional<double> whole = std::nullopt;  // if the configuration says when to stop
};

// Without validations and checkpoints.
TrainingTime predict_time(const Period& after, const Speed& speed, double epoch_side_tokens);

}  // namespace attune
