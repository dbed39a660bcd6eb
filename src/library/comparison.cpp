#include "attune/comparison.h"

#include "attune/version.h"
#include "compare/compare.h"
#include "compare/report/write_reports.h"

namespace attune {

ComparisonReport compare_models(const std::filesystem::path& recipe_file, bool retrain) {
  compare::Recipe recipe = compare::read_recipe(recipe_file.string());
  const compare::Results results =
      compare::compare(recipe, {.retrain = retrain, .program = "attune " + version()});
  compare::write_results(std::filesystem::path(recipe.folder) / "results.json", results);
  return {.folder = recipe.folder, .markdown = write_reports(results, recipe.folder)};
}

}  // namespace attune
