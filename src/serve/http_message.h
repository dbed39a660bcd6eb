// HTTP requests and answers as handlers see them: no socket in sight.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attune/error.h"

namespace attune::serve {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = {};
  std::string path = {}, query = {};  // as they were sent
  HttpHeaders headers = {};           // names in lower case
  std::string body = {};
  std::string address = {};  // of the client
  bool keep_alive = true;

  // Empty if there is none.
  std::string_view header(std::string_view name) const;
};

// Gives a part of an answer to the client; false if that has left.
using WritePart = std::function<bool(std::string_view)>;

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  HttpHeaders headers = {};
  std::function<void(const WritePart&)> stream = {};  // writes the body part by part instead
};

// A request that gets an answer other than what it asked for.
struct HttpRefusal : Error {
  HttpRefusal(int code, const std::string& why, int seconds = 0)
      : Error(why), status(code), retry_after(seconds) {}
  int status;
  int retry_after;  // seconds; 0: nothing is said of it
};

// The head of an answer. Without a length its body comes in chunks.
std::string head_of(const HttpResponse& response, std::optional<size_t> length, bool keep_alive);
std::string chunk_of(std::string_view part);  // an empty one is the last

}  // namespace attune::serve
