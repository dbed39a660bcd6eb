#include "cli/options/search_options.h"

#include <algorithm>
#include <map>

namespace attune::cli {

void SearchOptionsOfVerb::add_options(const std::set<std::string>& without, const SearchOptions& defaults) {
  static const std::map<std::string, char> letters{{"beam_size", 'b'}, {"normalize", 'n'}};
  options_.add(fields_of(defaults), {"Search (the model folder may set other defaults)"}, letters, without);
}

bool SearchOptionsOfVerb::given(std::string_view key) const {
  const Entries entries = options_.entries();
  return std::ranges::find(entries, key, &Entry::key) != entries.end();
}

SearchOptions SearchOptionsOfVerb::read(const ModelFolder& folder) const {
  return folder.search(options_.entries());
}

}  // namespace attune::cli
