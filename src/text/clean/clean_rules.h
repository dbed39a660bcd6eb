// CleanRules: reasons to leave a row out of a corpus.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "text/clean/hash_set.h"
#include "text/clean/script_check.h"

namespace attune {

struct CleanRule {
  const char *name, *help;
};

// In the order in which they are asked: a row is left out for the first reason that holds.
std::span<const CleanRule> clean_rules();

struct CleanOptions {
  double ratio = 3;                // of the longer side to the shorter
  int64_t longest = 1000;          // characters of a side
  std::set<std::string> off = {};  // names of rules that are not asked
};

class CleanRules {
 public:
  // What is expected of the script of each column.
  CleanRules(CleanOptions options, std::vector<ScriptCheck> scripts);

  // The name of the rule that a row breaks, if there is one. Rows that break none count as seen.
  std::optional<std::string> broken(const std::vector<std::string>& columns);

 private:
  bool is_on(const char* rule) const { return !options_.off.contains(rule); }

  CleanOptions options_;
  std::vector<ScriptCheck> scripts_;
  HashSet seen_;
};

}  // namespace attune
