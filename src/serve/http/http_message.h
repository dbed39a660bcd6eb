// HTTP requests and answers as handlers see them, without sockets.
#pragma once

#include <ctime>
#include <functional>
#include <optional>
#include <stop_token>
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
  bool http_1_0 = false;     // it came in HTTP/1.0
  bool keep_alive = true;
  std::stop_token life =
      {};  // stopped once nobody waits for the answer: the client has left, or time is over

  // The first of that name; empty if there is none.
  std::string_view header(std::string_view name) const;
  // All of that name as one list, as RFC 9110, 5.3 joins them.
  std::string all_headers(std::string_view name) const;
};

// Sends a part of an answer to the client; false if the client has left.
using WritePart = std::function<bool(std::string_view)>;

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  HttpHeaders headers = {};
  std::function<void(const WritePart&)> stream = {};  // writes the body part by part instead
};

// Answers a request with an error.
struct HttpRefusal : Error {
  HttpRefusal(int code, const std::string& why, int seconds = 0)
      : Error(why), status(code), retry_after(seconds) {}
  int status;
  int retry_after;         // seconds; 0: not sent
  std::string allow = {};  // methods that are allowed
};

// For a request whose life was stopped.
HttpRefusal given_up();

// How the other side knows where a body ends: by its length, by a last chunk, or by the end of the
// connection.
struct BodyEnd {
  std::optional<size_t> length = {};
  bool chunked = false;
};

std::string head_of(const HttpResponse& response, const BodyEnd& end, bool keep_alive);
std::string chunk_of(std::string_view part);  // an empty one is the last
std::string http_date(std::time_t time);      // "Sun, 06 Nov 1994 08:49:37 GMT"

}  // namespace attune::serve
