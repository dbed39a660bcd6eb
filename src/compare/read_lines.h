// The lines of text files that a comparison reads whole.
#pragma once

#include <string>
#include <string_view>

#include "metrics/metric.h"

namespace attune::compare {

// A UsageError that names file and line for what is not UTF-8.
metrics::Sentences read_lines(const std::string& path);

// As many lines as another file has, or a UsageError that names both.
void require_as_many(const std::string& path, const metrics::Sentences& lines, const std::string& other,
                     const metrics::Sentences& others);

// No line is blank, or a UsageError that names file and line.
void require_no_blank(const std::string& path, const metrics::Sentences& lines, std::string_view what);

}  // namespace attune::compare
