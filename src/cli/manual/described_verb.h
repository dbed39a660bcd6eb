// DescribedVerb: what a verb and its options are, as --help, manual pages and completions tell it. It is read
// from the options that the verb adds, so that nothing is written twice.
#pragma once

#include <string>
#include <vector>

#include "cli/verb.h"

namespace attune::cli {

struct DescribedOption {
  std::vector<std::string> names;  // "-b", "--beam-size"; of an argument that has none: "MODEL"
  std::string value;               // what it takes: "VALUE", "LIST"; empty: nothing
  std::string help, default_text, group;
  std::vector<std::string> choices;  // the words that it takes; empty: anything
  bool positional = false, required = false, list = false;
};

struct DescribedVerb {
  std::string name, help, footer;
  std::vector<DescribedOption> options;
};

DescribedVerb described(const Verb& verb);

}  // namespace attune::cli
