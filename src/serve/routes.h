// What the server answers, by method and path.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "serve/engine.h"
#include "serve/http_message.h"

namespace attune::serve {

class RequestFields;

struct Route {
  std::string_view method, path;
  bool open;  // needs no key
  HttpResponse (*handle)(Engine& engine, const HttpRequest& request);
};

std::span<const Route> libretranslate_routes();
std::span<const Route> own_routes();        // under /v1
std::span<const Route> streaming_routes();  // under /v1, word by word
std::span<const Route> page_routes();       // the page, and what it asks for besides

// The model that a request to /v1 names, or the one for its source and target.
ModelTable::Model asked_model(const ModelTable& table, const RequestFields& fields);
// An HttpRefusal if there is none.
ModelTable::Model model_called(const ModelTable& table, const std::string& name);

HttpResponse json_response(const nlohmann::json& value, int status = 200);
HttpResponse error_response(int status, const std::string& text);

}  // namespace attune::serve
