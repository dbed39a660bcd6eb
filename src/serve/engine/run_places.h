// Training runs that the page shows.
#pragma once

#include <string>
#include <vector>

namespace attune::serve {

// A folder of a training run, by the name that clients ask for.
struct RunPlace {
  std::string name, folder;
};

// Each is called by the last part of its path. A folder that contains runs, as that of a comparison, stands
// for all of them. A UsageError for a folder that is not of a run and has none in it, and for two of one
// name.
std::vector<RunPlace> run_places(const std::vector<std::string>& folders);

}  // namespace attune::serve
