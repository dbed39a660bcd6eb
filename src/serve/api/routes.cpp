#include "serve/api/routes.h"

namespace attune::serve {

std::vector<Route> routes_under_v1() {
  std::vector<Route> all;
  for (const auto routes : {own_routes(), streaming_routes(), guess_routes(), attend_routes(), run_routes()})
    all.insert(all.end(), routes.begin(), routes.end());
  return all;
}

const Route* route_of(std::span<const Route> routes, std::string_view path) {
  for (const Route& route : routes)
    if (route.path == path) return &route;
  for (const Route& route : routes)
    if (route.path.size() > 1 && route.path.ends_with('/') && path.starts_with(route.path)) return &route;
  return nullptr;
}

}  // namespace attune::serve
