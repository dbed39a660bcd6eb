// What the server answers, by method and path.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "serve/engine/engine.h"
#include "serve/http/http_message.h"

namespace attune::serve {

class RequestFields;

struct Route {
  std::string_view method, path;  // a path that ends with / stands for all below it
  bool open;                      // needs no key
  HttpResponse (*handle)(Engine& engine, const HttpRequest& request);
};

std::span<const Route> libretranslate_routes();
std::span<const Route> own_routes();        // under /v1
std::span<const Route> streaming_routes();  // under /v1, word by word
std::span<const Route> guess_routes();      // under /v1, single tokens
std::span<const Route> attend_routes();     // under /v1, what the page requests
std::span<const Route> run_routes();        // under /v1, what the page requests
std::span<const Route> page_routes();       // the page

std::vector<Route> routes_under_v1();
// The route of a path: its own, or that of a parent; null if there is none.
const Route* route_of(std::span<const Route> routes, std::string_view path);

// The model that a request to /v1 names, or the one for its source and target.
ModelTable::Model asked_model(const ModelTable& table, const RequestFields& fields);
// An HttpRefusal if there is none.
ModelTable::Model model_called(const ModelTable& table, const std::string& name);

// A model may write half a character, which becomes U+FFFD.
std::string dumped(const nlohmann::json& value);
HttpResponse json_response(const nlohmann::json& value, int status = 200);
// {"error": "..."}, or OpenAI's error object for its paths.
HttpResponse refusal_response(const HttpRefusal& refusal, std::string_view path);

}  // namespace attune::serve
