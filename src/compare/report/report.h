// The report of a comparison: one self-contained HTML file, with light and dark colours and a print layout.
#pragma once

#include <string>

#include "compare/results.h"

namespace attune::compare {

std::string html(const Results& results);

}  // namespace attune::compare
