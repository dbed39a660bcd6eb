#include "serve/engine/run_places.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "attune/error.h"
#include "look/run_record.h"
#include "serve/engine/served_model.h"

namespace attune::serve {
namespace {

namespace fs = std::filesystem;

// The folder itself, or the runs in it, in the order of their names.
std::vector<std::string> runs_in(const std::string& folder) {
  if (is_run(folder) || !fs::is_directory(folder)) return {folder};
  std::vector<std::string> runs;
  for (const auto& entry : fs::directory_iterator(folder))
    if (is_run(entry.path())) runs.push_back(entry.path().string());
  std::ranges::sort(runs);
  return runs.empty() ? std::vector{folder} : runs;
}

}  // namespace

std::vector<RunPlace> run_places(const std::vector<std::string>& folders) {
  std::vector<RunPlace> places;
  for (const std::string& given : folders)
    for (const std::string& folder : runs_in(given)) {
      const std::string name = last_name(folder);
      run_record(folder, name);  // tells now what is wrong with it
      if (std::ranges::find(places, name, &RunPlace::name) != places.end())
        throw UsageError(fmt::format("--runs {}: there is another run called {}", folder, name));
      places.push_back({name, folder});
    }
  return places;
}

}  // namespace attune::serve
