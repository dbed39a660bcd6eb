// Training runs, for the page.
#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "attune/error.h"
#include "io/files/crc32c.h"
#include "look/run_record.h"
#include "serve/api/request_fields.h"
#include "serve/api/routes.h"
#include "view/page.h"

namespace attune::serve {
namespace {

using nlohmann::json;

HttpResponse runs(Engine& engine, const HttpRequest& /*request*/) {
  json list = json::array();
  for (const RunPlace& run : engine.options().runs) list.push_back({{"id", run.name}, {"object", "run"}});
  return json_response({{"object", "list"}, {"data", list}});
}

HttpResponse run(Engine& engine, const HttpRequest& request) {
  const RequestFields fields(request);
  fields.require_only({"name"});
  const std::string name = fields.required("name");
  const auto& places = engine.options().runs;
  const auto place = std::ranges::find(places, name, &RunPlace::name);
  if (place == places.end()) throw HttpRefusal(404, "there is no such run; GET /v1/runs lists them");
  view::Page seen;
  try {
    seen.runs.push_back(run_record(place->folder, place->name));
  } catch (const UsageError&) {
    throw HttpRefusal(404, "this run can no longer be read");
  }
  std::string body = view::page_json(seen);
  const HttpHeaders tag{
      {"ETag", fmt::format("\"{:x}-{:08x}\"", body.size(), crc32c(std::as_bytes(std::span(body))))},
      {"Cache-Control", "no-cache"}};
  if (request.all_headers("if-none-match") == tag[0].second) return {.status = 304, .headers = tag};
  return {.body = std::move(body), .headers = tag};
}

constexpr Route kRoutes[] = {
    {"GET", "/v1/runs", false, runs},
    {"GET", "/v1/run", false, run},
};

}  // namespace

std::span<const Route> run_routes() { return kRoutes; }

}  // namespace attune::serve
