#include "serve/api/service.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "attune/error.h"
#include "attune/patience.h"
#include "base/ascii.h"
#include "serve/api/request_fields.h"
#include "serve/http/browsers.h"

namespace attune::serve {
namespace {

constexpr std::string_view kBearer = "Bearer ";

// "Authorization: Bearer KEY", or the field api_key.
std::string key_of(const HttpRequest& request) {
  const std::string_view header = request.header("authorization");
  if (header.starts_with(kBearer)) return std::string(header.substr(kBearer.size()));
  return RequestFields(request).text("api_key", "");
}

// A client may have sent this header too; the proxy appends the address that it sees.
std::string client_address(const HttpRequest& request, bool behind_proxy) {
  if (!behind_proxy) return request.address;
  const std::string forwarded = request.all_headers("x-forwarded-for");
  const size_t comma = forwarded.rfind(',');
  std::string_view last = std::string_view(forwarded).substr(comma == std::string::npos ? 0 : comma + 1);
  last.remove_prefix(std::min(last.find_first_not_of(" \t"), last.size()));
  return last.empty() ? request.address : std::string(last.substr(0, 64));
}

// For the log: without characters that would begin a new line or field.
std::string printable(std::string_view text) {
  std::string result(text.substr(0, 200));
  for (char& c : result)
    if (!is_ascii_visible(c) || c == '"') c = '?';
  return result;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Monitoring, and the page itself, are not limited.
bool has_no_rate(std::string_view path) { return path == "/health" || path == "/"; }

HttpResponse options_of(const Route& route, bool cors) {
  HttpResponse response{.status = 204};
  response.headers.emplace_back("Allow", std::string(route.method) + ", OPTIONS");
  if (!cors) return response;
  response.headers.emplace_back("Access-Control-Allow-Methods", std::string(route.method));
  response.headers.emplace_back("Access-Control-Allow-Headers", "Content-Type, Authorization");
  response.headers.emplace_back("Access-Control-Max-Age", "86400");
  return response;
}

}  // namespace

Service::Service(const ServiceOptions& options, Engine& engine, Metrics& metrics)
    : options_(options),
      engine_(engine),
      metrics_(metrics),
      keys_(std::make_shared<const ApiKeys>(options.keys)),
      routes_(routes_under_v1()) {
  for (const auto routes : {libretranslate_routes(), page_routes()})
    routes_.insert(routes_.end(), routes.begin(), routes.end());
  routes_.push_back({"GET", "/metrics", false, nullptr});
}

void Service::set_keys(ApiKeys keys) {
  const auto fresh = std::make_shared<const ApiKeys>(std::move(keys));
  const std::lock_guard lock(mutex_);
  keys_ = fresh;
}

bool Service::quick(const HttpRequest& request) const {
  return request.path == "/health" || request.path == "/metrics";
}

HttpResponse Service::handle(const HttpRequest& request) {
  Entry entry{{client_address(request, options_.behind_proxy)},
              request.method + " " + printable(request.path)};
  const Patience patience(request.life);
  HttpResponse response;
  try {
    response = answer(request, entry);
  } catch (const HttpRefusal& refusal) {
    response = refusal_response(refusal, request.path);
  } catch (const GivenUp&) {
    response =
        refusal_response(request.life.stop_requested()
                             ? given_up()
                             : HttpRefusal(503, "this took too long; send less text, or try again later", 2),
                         request.path);
  } catch (const UsageError& error) {
    response = refusal_response({400, error.what()}, request.path);
  } catch (const std::exception& error) {
    if (options_.messages != nullptr)
      options_.messages->write(fmt::format("attune: {}: {}\n", entry.request, error.what()));
    response = refusal_response({500, "the server could not do this"}, request.path);
  }
  finish(response);
  if (response.stream)
    log_stream(response, request, entry);
  else
    log(entry, response.status, response.body.size());
  return response;
}

HttpResponse Service::refuse(const HttpRefusal& refusal, const std::string& address) {
  // Behind a proxy the address is the proxy's, which is not to blame.
  if (refusal.status < 500 && !options_.behind_proxy) rates_.wait(address, options_.rate, Clock::now());
  HttpResponse response = refusal_response(refusal, "");
  finish(response);
  log({{address}, "- -", "refused"}, response.status, response.body.size());
  return response;
}

HttpResponse Service::answer(const HttpRequest& request, Entry& entry) {
  const Route* here = route_of(routes_, request.path);
  const bool known = here != nullptr;
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  if (known) entry.route = here->path;
  admit(request, known && method == here->method ? here : nullptr, entry.client);
  if (options_.hosts && !names_this_host(request, *options_.hosts))
    throw HttpRefusal(421, "this server does not answer to that host name; --allow-host adds one");
  if (!known) throw HttpRefusal(404, "there is nothing here; GET /spec lists what this server offers");
  if (method == "OPTIONS") return options_of(*here, !options_.cors.empty());
  if (method != here->method) {
    HttpRefusal refusal(405, fmt::format("{} takes {}", here->path, here->method));
    refusal.allow = std::string(here->method) + ", OPTIONS";
    throw refusal;
  }
  if (method == "POST" && !comes_from_own_page(request, options_.cors))
    throw HttpRefusal(403, "pages from other sites may not send requests; --cors allows an origin");
  if (here->handle == nullptr) return {.content_type = "text/plain; version=0.0.4", .body = metrics_.text()};
  return here->handle(engine_, request);
}

// `route` is null for unknown paths. Nearly all requests count towards the rate of their key or, without one,
// of their address, so that nobody can try many keys.
void Service::admit(const HttpRequest& request, const Route* route, Client& client) {
  if (has_no_rate(request.path)) return;
  std::shared_ptr<const ApiKeys> keys;
  {
    const std::lock_guard lock(mutex_);
    keys = keys_;
  }
  const bool closed = route != nullptr && !route->open && keys->needed();
  const ApiKey* key = nullptr;
  std::exception_ptr unreadable;
  try {
    if (closed) key = keys->find(key_of(request));
  } catch (const Error&) {
    unreadable = std::current_exception();
  }
  if (key != nullptr) client.name = key->name;
  const int64_t rate = key != nullptr ? key->rate.value_or(options_.rate) : options_.rate;
  const std::string who = key != nullptr ? "key " + key->name : client.address;
  if (const int seconds = rates_.wait(who, rate, Clock::now()); seconds > 0)
    throw HttpRefusal(429, fmt::format("Slowdown: {} requests per minute are allowed", rate), seconds);
  if (unreadable) std::rethrow_exception(unreadable);
  if (closed && key == nullptr) throw HttpRefusal(403, "Invalid API key");
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
void Service::log(const Entry& entry, int status, size_t bytes) const {
  const double seconds = seconds_since(entry.start);
  metrics_.request(entry.route, status, seconds);
  if (options_.log == nullptr) return;
  options_.log->write(fmt::format(
      "{} {} [{:%Y-%m-%dT%H:%M:%SZ}] \"{}\" {} {} {:.1f}ms\n", printable(entry.client.address),
      entry.client.name, fmt::gmtime(std::time(nullptr)), entry.request, status, bytes, 1000 * seconds));
}

// Logged when it has ended, with everything that was written.
void Service::log_stream(HttpResponse& response, const HttpRequest& request, const Entry& entry) const {
  response.stream = [this, entry, life = request.life, status = response.status,
                     write = std::move(response.stream)](const WritePart& out) {
    const Patience patience(life);
    size_t bytes = 0;
    std::exception_ptr error;
    try {
      write([&](std::string_view part) {
        bytes += part.size();
        return out(part);
      });
    } catch (...) {
      error = std::current_exception();
    }
    log(entry, status, bytes);
    if (error) std::rethrow_exception(error);
  };
}

}  // namespace attune::serve
