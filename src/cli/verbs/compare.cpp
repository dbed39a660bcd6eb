// attune compare: several models, the same data and budget, one report.
#include "compare/compare.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/stop_signal.h"
#include "cli/verb.h"
#include "compare/report/write_reports.h"
#include "compare/run/child_process.h"

namespace attune::cli {
namespace {

struct Options {
  std::string recipe;
  bool retrain = false, report_only = false;
};

void run(const Options& options) {
  compare::Results results;
  std::filesystem::path folder;
  try {
    if (options.report_only) {
      folder = compare::read_recipe_folder(options.recipe);
      results = compare::read_results(folder / "results.json");
    } else {
      compare::Recipe recipe = compare::read_recipe(options.recipe);
      folder = recipe.folder;
      results = compare::compare(recipe, {options.retrain, "attune " ATTUNE_VERSION});
      compare::write_results(folder / "results.json", results);
    }
  } catch (const Interrupted&) {
    fmt::print(stderr, "stopped; run the same command again to continue\n");
    throw;
  }
  fmt::print("{}", compare::write_reports(results, folder));
  fmt::print(stderr,
             "\n{0}/report.html has plots, attention and translations; {0}/report.md the tables; {0}/plots "
             "the plots\n",
             folder.string());
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.footer(
      "A recipe names shared settings, models and the keys in which they differ, test sets and a budget "
      "(see\n"
      "docs/guide/compare.md and examples/ladder). Run the same command again to resume after a stop; what "
      "is\n"
      "done is not repeated.\n\n"
      "  attune compare examples/ladder/dates.yml");
  app.add_option("RECIPE", options->recipe, "recipe of the comparison (YAML)")->required();
  auto* retrain =
      app.add_flag("--retrain", options->retrain, "retrain models whose settings or data have changed");
  app.add_flag("--report-only", options->report_only, "make tables, report and plots again from results.json")
      ->excludes(retrain);
  return [options] { run(*options); };
}

const RegisterVerb registered{
    {"compare", "train several models on the same budget and report how they differ", set_up}};

}  // namespace
}  // namespace attune::cli
