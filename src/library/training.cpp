#include "attune/training.h"

#include <algorithm>
#include <chrono>

#include "attune/error.h"
#include "config/settings.h"
#include "config/yaml.h"
#include "io/files/file.h"
#include "models/model_files.h"
#include "train/trainer.h"

namespace attune {
namespace {

class Watcher final : public TrainWatcher {
 public:
  Watcher(const TrainingOptions& options, TrainingResult& result) : options_(options), result_(result) {}

  bool log_to_stderr() const override { return !options_.on_progress && !options_.on_validation; }

  void updated(const TrainState& state, double share) override {
    TrainingProgress& progress = result_.progress;
    progress = {.updates = state.progress.updates,
                .epochs = state.progress.epochs,
                .tokens = state.progress.tokens,
                .seconds = state.progress.seconds,
                .share = share,
                .loss = state.shown.loss / static_cast<double>(std::max<int64_t>(state.shown.tokens, 1)),
                .learning_rate = state.shown_rate};
    constexpr auto kBetween = std::chrono::milliseconds(200);
    const auto now = std::chrono::steady_clock::now();
    if (!options_.on_progress || now - told_ < kBetween) return;
    told_ = now;
    options_.on_progress(progress);
  }

  void validated(const Progress&, const Validation& validation) override {
    result_.scores.clear();
    for (const auto& [metric, value] : validation.values) result_.scores.push_back({metric, value});
    if (!options_.on_validation) return;
    std::vector<TrainingSample> samples;
    for (const auto& [source, reference, output] : validation.samples)
      samples.push_back({source, reference, output});
    options_.on_validation(result_.progress, result_.scores, samples);
  }

 private:
  const TrainingOptions& options_;
  TrainingResult& result_;
  std::chrono::steady_clock::time_point told_ = {};
};

std::filesystem::path best_model(const std::filesystem::path& run) {
  try {
    return folder_of_model(run);
  } catch (const UsageError&) {
    return {};
  }
}

}  // namespace

TrainingResult train(const Settings& settings, const TrainingOptions& options) {
  const std::string file = options.config.string();
  RunConfig config = read_run_config(file.empty() ? Entries{} : read_yaml(read_file(file, 1 << 20), file),
                                     entries_of(settings));
  TrainingResult result;
  Watcher watcher(options, result);
  const TrainEnd end =
      train(config, &watcher, alone(), options.overwrite ? TrainFrom::anew : TrainFrom::checkpoint);
  result.finished = end == TrainEnd::finished;
  result.model = best_model(config.train.model);
  return result;
}

}  // namespace attune
