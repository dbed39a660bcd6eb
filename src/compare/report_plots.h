// The plots of a comparison.
#pragma once

#include <string>
#include <vector>

#include "compare/results.h"

namespace attune::compare {

std::string score_plot(const Results& results, size_t test);
std::string length_plot(const Results& results, size_t test);

// For each validation metric a plot over updates and one over time.
std::vector<std::string> curve_plots(const Results& results);

// Parameters, speed, memory.
std::vector<std::string> cost_plots(const Results& results);

}  // namespace attune::compare
