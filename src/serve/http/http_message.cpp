#include "serve/http/http_message.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>

namespace attune::serve {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 421: return "Misdirected Request";
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

std::string HttpRequest::all_headers(std::string_view name) const {
  std::string all;
  for (const auto& [key, value] : headers) {
    if (key != name) continue;
    if (!all.empty()) all += ", ";
    all += value;
  }
  return all;
}

HttpRefusal given_up() {
  return {503, "cancelled: the server is stopping, or the client has closed its side of the connection", 2};
}

std::string head_of(const HttpResponse& response, const BodyEnd& end, bool keep_alive) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                                 reason_of(response.status), http_date(std::time(nullptr)));
  if (response.status != 204 && response.status != 304) {
    head += fmt::format("Content-Type: {}\r\n", response.content_type);
    if (end.length) head += fmt::format("Content-Length: {}\r\n", *end.length);
    if (end.chunked) head += "Transfer-Encoding: chunked\r\n";
  }
  for (const auto& [name, value] : response.headers) head += fmt::format("{}: {}\r\n", name, value);
  head += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

std::string chunk_of(std::string_view part) { return fmt::format("{:x}\r\n{}\r\n", part.size(), part); }

// The names are English, whatever the locale.
std::string http_date(std::time_t time) {
  constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::tm t = fmt::gmtime(time);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[t.tm_wday], t.tm_mday,
                     kMonths[t.tm_mon], 1900 + t.tm_year, t.tm_hour, t.tm_min, t.tm_sec);
}

}  // namespace attune::serve
