// Scores of outputs: for each model, for groups of sentences, and for the difference between neighbours.
#pragma once

#include "compare/length_groups.h"
#include "compare/recipe.h"
#include "compare/results.h"

namespace attune::compare {

// The groups of a test set by the lengths of its sources.
std::vector<Lengths> length_groups(const Recipe& recipe, const TestSet& test);

// Fills in metrics, test sets, samples and all scores; the models' decodings must be there.
void score(const Recipe& recipe, Results& results);

}  // namespace attune::compare
