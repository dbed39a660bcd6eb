#include <nlohmann/json.hpp>

#include "serve/routes.h"

namespace attune::serve {

// A model may write half a character: that becomes U+FFFD.
HttpResponse json_response(const nlohmann::json& value, int status) {
  return {.status = status, .body = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

HttpResponse error_response(int status, const std::string& text) {
  return json_response({{"error", text}}, status);
}

}  // namespace attune::serve
