// The report of a comparison: one HTML file that needs nothing else, in the reader's light or dark, or
// printed.
#pragma once

#include <string>

#include "compare/results.h"

namespace attune::compare {

std::string html(const Results& results);

}  // namespace attune::compare
