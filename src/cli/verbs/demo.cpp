// attune demo: the first minute with attune.
#include "demo/demo.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/verb.h"

namespace attune::cli {

namespace {

Action set_up(CLI::App& app) {
  auto dates = std::make_shared<demo::DatesDemo>();
  auto text = std::make_shared<demo::TextDemo>();
  app.footer(
      "Without --config, two models learn to read dates in six languages, in about a minute.\n"
      "With it, a model trains briefly on your data; you see translations from the beginning and the end.");
  app.add_option("--folder", dates->folder, "where data, models and the page go");
  app.add_option("--seed", dates->seed, "seed of the data and of the initial weights")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--updates", dates->updates, "training steps of each model; 0: as many as it needs")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--data-only", dates->data_only,
               "write the dates, with alignments for the test set, and stop");
  auto* config = app.add_option("--config", text->config, "configuration of a model that translates (YAML)");
  app.add_option("--minutes", text->minutes, "with --config: how long to train")
      ->check(CLI::PositiveNumber)
      ->needs(config);
  return [=] { text->config.empty() ? demo::run_demo(*dates) : demo::run_demo(*text); };
}

const RegisterVerb registered{
    {"demo", "two small models learn to read dates, and show where they look", set_up}};

}  // namespace
}  // namespace attune::cli
