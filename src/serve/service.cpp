#include "serve/service.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "attune/error.h"
#include "base/ascii.h"
#include "serve/fields.h"

namespace attune::serve {
namespace {

constexpr std::string_view kBearer = "Bearer ";

// The route of a path: its own, or one for all below it.
const Route* route_of(const std::vector<Route>& routes, std::string_view path) {
  for (const Route& route : routes)
    if (route.path == path) return &route;
  for (const Route& route : routes)
    if (route.path.size() > 1 && route.path.ends_with('/') && path.starts_with(route.path)) return &route;
  return nullptr;
}

// "Authorization: Bearer KEY", or the field api_key.
std::string key_of(const HttpRequest& request) {
  const std::string_view header = request.header("authorization");
  if (header.starts_with(kBearer)) return std::string(header.substr(kBearer.size()));
  return RequestFields(request).text("api_key", "");
}

std::string client_address(const HttpRequest& request, bool behind_proxy) {
  const std::string_view forwarded = request.header("x-forwarded-for");
  if (!behind_proxy || forwarded.empty()) return request.address;
  const size_t comma = forwarded.rfind(',');
  std::string_view last = comma == std::string_view::npos ? forwarded : forwarded.substr(comma + 1);
  last.remove_prefix(std::min(last.find_first_not_of(' '), last.size()));
  return std::string(last.substr(0, 64));
}

// For the log: nothing that would begin a new line or field.
std::string printable(std::string_view text) {
  std::string result(text.substr(0, 200));
  for (char& c : result)
    if (!is_ascii_visible(c) || c == '"') c = '?';
  return result;
}

// A log that cannot be written is no reason to fail.
void write_line(std::FILE* file, const std::string& line) { std::fwrite(line.data(), 1, line.size(), file); }

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Service::Service(const ServiceOptions& options, Engine& engine, Metrics& metrics)
    : options_(options), engine_(engine), metrics_(metrics) {
  for (const auto routes : {libretranslate_routes(), own_routes(), streaming_routes(), page_routes()})
    routes_.insert(routes_.end(), routes.begin(), routes.end());
  routes_.push_back({"GET", "/metrics", false, nullptr});
}

HttpResponse Service::handle(const HttpRequest& request) {
  const auto start = Clock::now();
  const Route* route = nullptr;
  Client client{client_address(request, options_.behind_proxy)};
  HttpResponse response;
  try {
    response = answer(request, route, client);
  } catch (const HttpRefusal& refusal) {
    response = refusal_response(refusal, request.path);
  } catch (const UsageError& error) {
    response = refusal_response({400, error.what()}, request.path);
  } catch (const std::exception& error) {
    write_line(stderr,
               fmt::format("attune: {} {}: {}\n", request.method, printable(request.path), error.what()));
    response = refusal_response({500, "the server could not do this"}, request.path);
  }
  finish(response);
  const double seconds = seconds_since(start);
  metrics_.request(route == nullptr ? "other" : std::string(route->path), response.status, seconds);
  log(client, request.method + " " + printable(request.path), response, seconds);
  return response;
}

HttpResponse Service::refuse(const HttpRefusal& refusal, const std::string& address) {
  HttpResponse response = refusal_response(refusal, "");
  finish(response);
  metrics_.request("refused", response.status, 0);
  log({address}, "- -", response, 0);
  return response;
}

HttpResponse Service::answer(const HttpRequest& request, const Route*& route, Client& client) {
  const Route* here = route = route_of(routes_, request.path);
  if (here == nullptr) throw HttpRefusal(404, "there is nothing here; GET /spec says what there is");
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  if (method == "OPTIONS") {
    HttpResponse response{.status = 204};
    response.headers.emplace_back("Allow", std::string(here->method) + ", OPTIONS");
    if (!options_.cors.empty()) {
      response.headers.emplace_back("Access-Control-Allow-Methods", std::string(here->method));
      response.headers.emplace_back("Access-Control-Allow-Headers", "Content-Type, Authorization");
      response.headers.emplace_back("Access-Control-Max-Age", "86400");
    }
    return response;
  }
  if (method != here->method) throw HttpRefusal(405, fmt::format("{} takes {}", here->path, here->method));
  admit(request, *here, client);
  if (here->handle == nullptr) return {.content_type = "text/plain; version=0.0.4", .body = metrics_.text()};
  return here->handle(engine_, request);
}

void Service::admit(const HttpRequest& request, const Route& route, Client& client) {
  const ApiKey* key = nullptr;
  if (options_.keys.needed() && !route.open) {
    key = options_.keys.find(key_of(request));
    if (key != nullptr) client.name = key->name;
  }
  // A wrong key counts for the address: so nobody tries many.
  const int64_t rate = key != nullptr ? key->rate.value_or(options_.rate) : options_.rate;
  const std::string who = key != nullptr ? "key " + key->name : client.address;
  if (const int seconds = rates_.wait(who, rate, Clock::now()); seconds > 0)
    throw HttpRefusal(429, fmt::format("Slowdown: {} requests a minute are allowed", rate), seconds);
  if (options_.keys.needed() && !route.open && key == nullptr) throw HttpRefusal(403, "Invalid API key");
}

void Service::finish(HttpResponse& response) const {
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Cache-Control", "no-store");
  const auto says = [](const auto& header) { return header.first == "Content-Security-Policy"; };
  if (std::ranges::none_of(response.headers, says))
    response.headers.emplace_back("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  if (options_.cors.empty()) return;
  response.headers.emplace_back("Access-Control-Allow-Origin", options_.cors);
  if (options_.cors != "*") response.headers.emplace_back("Vary", "Origin");
}

// ADDRESS KEY [TIME] "METHOD PATH" STATUS BYTES MILLISECONDS
void Service::log(const Client& client, const std::string& request, const HttpResponse& response,
                  double seconds) const {
  if (options_.log == nullptr) return;
  write_line(options_.log,
             fmt::format("{} {} [{:%Y-%m-%dT%H:%M:%SZ}] \"{}\" {} {} {:.1f}ms\n", printable(client.address),
                         client.name, fmt::gmtime(std::time(nullptr)), request, response.status,
                         response.body.size(), 1000 * seconds));
}

}  // namespace attune::serve
