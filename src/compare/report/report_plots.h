// The plots of a comparison.
#pragma once

#include <string>
#include <vector>

#include "compare/results.h"

namespace attune::compare {

struct NamedPlot {
  std::string name, svg;  // "lengths-test2016"; an element for the report
};

NamedPlot score_plot(const Results& results, size_t test);
NamedPlot length_plot(const Results& results, size_t test);

// For each validation metric a plot over updates and one over time.
std::vector<NamedPlot> curve_plots(const Results& results);

// Speed, parameters, memory.
std::vector<NamedPlot> cost_plots(const Results& results);

std::vector<NamedPlot> all_plots(const Results& results);

}  // namespace attune::compare
