// Reads whole text files for a comparison.
#pragma once

#include <string>
#include <string_view>

#include "metrics/metric.h"

namespace attune::compare {

// Invalid UTF-8 is a UsageError that names file and line.
metrics::Sentences read_lines(const std::string& path);

// As many lines as another file has; otherwise a UsageError that names both.
void require_as_many(const std::string& path, const metrics::Sentences& lines, const std::string& other,
                     const metrics::Sentences& others);

// A blank line is a UsageError that names file and line.
void require_no_blank(const std::string& path, const metrics::Sentences& lines, std::string_view what);

}  // namespace attune::compare
