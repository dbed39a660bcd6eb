#include "serve/engine/run_places.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "look/run_record.h"
#include "serve/engine/served_model.h"

namespace attune::serve {

std::vector<RunPlace> run_places(const std::vector<std::string>& folders) {
  std::vector<RunPlace> places;
  for (const std::string& folder : folders) {
    const std::string name = last_name(folder);
    run_record(folder, name);  // tells now what is wrong with it
    if (std::ranges::find(places, name, &RunPlace::name) != places.end())
      throw UsageError(fmt::format("--runs {}: there is another run called {}", folder, name));
    places.push_back({name, folder});
  }
  return places;
}

}  // namespace attune::serve
