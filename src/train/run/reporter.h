// Reporter: the records of a run for people and programs: lines of the log, metrics.jsonl, TensorBoard's
// events.
#pragma once

#include <memory>
#include <string>

#include "io/json_lines.h"
#include "io/tensorboard.h"
#include "train/run/console.h"
#include "train/run/train_state.h"
#include "train/validation.h"

namespace attune {

class Reporter {
 public:
  // The files continue where the checkpoint of the state left them.
  Reporter(Console& console, const TrainConfig& config, const TrainState& state);

  // After an update: redraws the live line at most a few times a second; without a terminal, writes a line if
  // there was none for half a minute. `share` is how much of the run is done; negative: it has no end.
  void live(const TrainState& state, double share);
  // Logs the mean over what the state has gathered since the last such line.
  void training(const TrainState& state, double share);
  // `kind`: of the model in training ("validation") or of another at the same update ("average").
  void validation(const TrainState& state, const Validation& validation, double seconds,
                  const std::string& kind = "validation");

  void sync() const;
  int64_t metrics_bytes() const { return metrics_.bytes(); }

 private:
  void scalar(const char* tag, int64_t update, double value);

  Console& console_;
  bool guided_;
  JsonLines metrics_;
  std::unique_ptr<EventWriter> events_;
  double last_live_ = wall_time_now();
};

int64_t memory_in_use();  // bytes of the process

}  // namespace attune
