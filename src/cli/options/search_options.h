// The search options of a verb, which override the defaults of the model folder.
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

  // All except those of the keys in `without`. `defaults` are the verb's own.
  void add_options(const std::set<std::string>& without, const SearchOptions& defaults = {});

  SearchOptions read(const ModelFolder& folder) const;
  bool given(std::string_view key) const;

 private:
  ConfigOptions options_;
};

}  // namespace attune::cli
