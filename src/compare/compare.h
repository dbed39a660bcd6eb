// compare(): trains the models of a recipe, or takes trained ones, tests them, and reports the results.
#pragma once

#include <string>

#include "compare/recipe.h"
#include "compare/results.h"

namespace attune::compare {

struct CompareOptions {
  bool retrain = false;  // models whose settings or data have changed
  std::string program;   // "attune 0.2.0", for the report
};

// Results of an earlier call are reused. Throws Interrupted when the user asks to stop.
Results compare(Recipe& recipe, const CompareOptions& options);

}  // namespace attune::compare
