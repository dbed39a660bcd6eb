// Several models, the same data and budget, one report, as `attune compare` makes it.
#pragma once

#include <filesystem>
#include <string>

namespace attune {

struct ComparisonReport {
  std::filesystem::path folder;  // with report.html, report.md, results.json and plots
  std::string markdown;          // the tables
};

// Runs a recipe (YAML); what was done before is not repeated. With `retrain`, models whose settings or data
// have changed are trained anew. Each model is trained in a child process, which must not be made of a
// process with threads: call it before anything else of attune.
ComparisonReport compare_models(const std::filesystem::path& recipe, bool retrain = false);

}  // namespace attune
