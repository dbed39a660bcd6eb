// The files of a comparison's report.
#pragma once

#include <filesystem>
#include <string>

#include "compare/results.h"

namespace attune::compare {

// Writes report.md, report.html and plots/ into the folder; returns the tables (Markdown).
std::string write_reports(const Results& results, const std::filesystem::path& folder);

}  // namespace attune::compare
