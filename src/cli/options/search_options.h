// The options of search on the command line of a verb, above the defaults of the model folder.
#pragma once

#include <set>
#include <string>

#include "cli/options/config_options.h"
#include "decode/search/search_options.h"
#include "folder/model_folder.h"

namespace attune::cli {

class SearchOptionsOfVerb {
 public:
  explicit SearchOptionsOfVerb(CLI::App& app) : options_(app) {}

  // All but those of the keys `without`.
  void add_options(const std::set<std::string>& without);

  // Whoever says how to sample (temperature, top_k, top_p) wants samples, unless he says otherwise.
  SearchOptions read(const ModelFolder& folder) const;
  bool given(std::string_view key) const;

 private:
  ConfigOptions options_;
};

}  // namespace attune::cli
