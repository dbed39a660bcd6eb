#include "serve/http_message.h"

#include <fmt/core.h>

#include <algorithm>

namespace attune::serve {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Internal Server Error";
  }
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, [](const auto& each) { return each.first; });
  return found == headers.end() ? std::string_view() : found->second;
}

std::string head_of(const HttpResponse& response, std::optional<size_t> length, bool keep_alive) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_of(response.status));
  if (response.status != 204) {
    head += fmt::format("Content-Type: {}\r\n", response.content_type);
    head += length ? fmt::format("Content-Length: {}\r\n", *length) : "Transfer-Encoding: chunked\r\n";
  }
  for (const auto& [name, value] : response.headers) head += fmt::format("{}: {}\r\n", name, value);
  head += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

std::string chunk_of(std::string_view part) { return fmt::format("{:x}\r\n{}\r\n", part.size(), part); }

}  // namespace attune::serve
