// compare(): trains the models of a recipe, or takes them as they are, uses them, and says what was found.
#pragma once

#include <string>

#include "compare/recipe.h"
#include "compare/results.h"

namespace attune::compare {

struct CompareOptions {
  bool retrain = false;  // models that were trained with something else
  std::string program;   // "attune 0.2.0", for the report
};

// Everything that was done before is taken over. Throws Interrupted when the user asks to stop.
Results compare(Recipe& recipe, const CompareOptions& options);

}  // namespace attune::compare
