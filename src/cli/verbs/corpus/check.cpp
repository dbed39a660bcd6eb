// attune check: before a run starts, what is wrong with it, how much memory it needs and how long it takes.
#include "train/check/check.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "attune/error.h"
#include "cli/options/run_options.h"
#include "cli/reports/check_report.h"
#include "cli/verb.h"

namespace attune::cli {
namespace {

struct Options {
  explicit Options(CLI::App& app) : run(app) {}

  RunOptions run;
  double seconds = 5;
  bool json = false;
};

void run(const Options& options) {
  RunConfig config = options.run.read();
  const CheckReport report = check_run(config, options.seconds);
  fmt::print("{}", options.json ? as_json(report) : as_text(report, config.train));
  if (!report.can_start()) throw UsageError("check: training cannot start like this");
}

Action set_up(CLI::App& app) {
  app.footer(
      "Takes what `attune train` takes and writes nothing. Exit code 0: training can start; 2: it "
      "cannot.\n\n"
      "  attune check config.yml\n"
      "  attune check config.yml --train-sets other.en other.de --seconds 20");
  auto options = std::make_shared<Options>(app);
  app.add_option("--seconds", options->seconds, "how long to train to measure the speed; 0: not at all")
      ->check(CLI::Range(0.0, 3600.0));
  app.add_flag("--json", options->json, "print a JSON document");
  return [options] { run(*options); };
}

const RegisterVerb registered{{"check", "look at the data and the configuration before training", set_up}};

}  // namespace
}  // namespace attune::cli
