// attune train: from text files and a configuration to a model folder.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "attune/error.h"
#include "base/say.h"
#include "base/stop_signal.h"
#include "cli/job.h"
#include "cli/options/run_options.h"
#include "cli/verb.h"
#include "config/yaml.h"
#include "train/data/corpora.h"
#include "train/trainer.h"

namespace attune::cli {
namespace {

struct Options {
  explicit Options(CLI::App& app) : run(app) {}

  RunOptions run;
  bool dump = false, overwrite = false;
};

// As training would; if there is no data yet, the configuration is shown as far as it is known.
void choose_sizes(RunConfig& config, TrainFrom from) try {
  if (!config.leaves_open()) return;
  say(complete_run(config, training_corpus(config.train, config.model->task()), from).text + "\n");
} catch (const UsageError& error) {
  say(fmt::format("attune: the size is not chosen yet: {}\n", error.what()));
}

void run(const Options& options) {
  if (options.dump) {
    RunConfig config = options.run.read();
    choose_sizes(config, options.overwrite ? TrainFrom::anew : TrainFrom::checkpoint);
    fmt::print("{}", write_yaml(config.entries()));
    return;
  }
  as_job([&](Ranks& ranks) {
    RunConfig config = options.run.read();
    const TrainFrom from = options.overwrite ? TrainFrom::anew : TrainFrom::checkpoint;
    if (train(config, nullptr, ranks, from) == TrainEnd::interrupted) throw Interrupted();
  });
}

Action set_up(CLI::App& app) {
  app.footer(
      "Every option is also a key of CONFIG.yml (with _ or -); the command line takes precedence.\n"
      "Without sizes, attune chooses a model that data, machine and --time allow (an hour by default).\n"
      "Periods: 500u updates, 10Mt target tokens, 2e epochs, 30min, 1h30min; 0 is never.\n"
      "Run the same command again to resume. Exit code 130: stopped by a signal, everything is saved.\n\n"
      "  attune train -t train.en train.de --valid-sets dev.en dev.de -m runs/en-de --time 30min");
  auto options = std::make_shared<Options>(app);
  app.add_flag("--dump-config", options->dump, "print the whole configuration and stop");
  app.add_flag(
      "--overwrite", options->overwrite,
      "start over: remove the run's checkpoints, models, logs and vocabulary once all else is checked");
  return [options] { run(*options); };
}

const RegisterVerb registered{{"train", "train a model, or resume training", set_up}};

}  // namespace
}  // namespace attune::cli
