// Findings: the results of `attune check`, before a run starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attune {

enum class Severity : uint8_t {
  error,    // training would stop at it, or not start
  warning,  // training runs, but perhaps not as intended
  note,
};

struct Finding {
  Severity severity;
  std::string kind;   // a word for programs: line_counts, invalid_utf8, ...
  std::string where;  // file, file:line, or a key of the configuration
  std::string text;   // a sentence for people
};

using Findings = std::vector<Finding>;

}  // namespace attune
