#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "serve/api/openai_refusal.h"
#include "serve/api/routes.h"

namespace attune::serve {
namespace {

using nlohmann::json;

// OpenAI's error objects, which clients of its interface read.
json openai_error(const HttpRefusal& refusal) {
  const auto* more = dynamic_cast<const OpenAiRefusal*>(&refusal);
  json code = more == nullptr || more->code.empty() ? json() : json(more->code);
  if (refusal.status == 403) code = "invalid_api_key";
  if (refusal.status == 429) code = "rate_limit_exceeded";
  return {{"message", refusal.what()},
          {"type", refusal.status >= 500 ? "server_error" : "invalid_request_error"},
          {"param", more == nullptr || more->parameter.empty() ? json() : json(more->parameter)},
          {"code", code}};
}

bool is_openais(std::string_view path) {
  return path == "/v1/completions" || path == "/v1/models" || path.starts_with("/v1/models/");
}

}  // namespace

std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

HttpResponse json_response(const json& value, int status) {
  return {.status = status, .body = dumped(value)};
}

HttpResponse refusal_response(const HttpRefusal& refusal, std::string_view path) {
  const json error = is_openais(path) ? openai_error(refusal) : json(refusal.what());
  HttpResponse response = json_response({{"error", error}}, refusal.status);
  if (refusal.retry_after > 0)
    response.headers.emplace_back("Retry-After", std::to_string(refusal.retry_after));
  if (!refusal.allow.empty()) response.headers.emplace_back("Allow", refusal.allow);
  return response;
}

OpenAiRefusal model_not_found(const std::string& name) {
  return {404, fmt::format("there is no model {}; GET /v1/models lists all models", name), "model",
          "model_not_found"};
}

}  // namespace attune::serve
