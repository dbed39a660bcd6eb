// Service: the layer between a request and its handler. It finds the route, checks keys, enforces rates,
// refuses pages from other sites, turns exceptions into answers, counts, and writes the access log.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "serve/api/api_keys.h"
#include "serve/api/routes.h"
#include "serve/engine/engine.h"
#include "serve/http/http_server.h"
#include "serve/http/log_writer.h"
#include "serve/http/rate_limit.h"

namespace attune::serve {

struct ServiceOptions {
  ApiKeys keys = {};
  int64_t rate = 0;       // requests per minute of an address, or of a key without its own rate; 0: no limit
  std::string cors = {};  // the origin whose pages may send requests; "*": all; empty: none
  bool behind_proxy = false;  // the last address in X-Forwarded-For is the client's
  // If set, requests must name this machine or one of these as their host.
  std::optional<std::vector<std::string>> hosts = {};
  LogWriter* log = nullptr;       // one line per request
  LogWriter* messages = nullptr;  // what went wrong
};

class Service final : public HttpApp {
 public:
  Service(const ServiceOptions& options, Engine& engine, Metrics& metrics);

  bool quick(const HttpRequest& request) const override;
  HttpResponse handle(const HttpRequest& request) override;
  HttpResponse refuse(const HttpRefusal& refusal, const std::string& address) override;

  // From any thread: the keys that are valid from now on.
  void set_keys(ApiKeys keys);

 private:
  struct Client {
    std::string address, name = "-";
  };
  // One request, for the log and the metrics.
  struct Entry {
    Client client;
    std::string request, route = "other";
    Clock::time_point start = Clock::now();
  };

  HttpResponse answer(const HttpRequest& request, Entry& entry);
  void admit(const HttpRequest& request, const Route* route, Client& client);
  void finish(HttpResponse& response) const;
  void log(const Entry& entry, int status, size_t bytes) const;
  void log_stream(HttpResponse& response, const HttpRequest& request, const Entry& entry) const;

  ServiceOptions options_;
  Engine& engine_;
  Metrics& metrics_;
  RateLimit rates_;
  mutable std::mutex mutex_;
  std::shared_ptr<const ApiKeys> keys_;
  std::vector<Route> routes_;
};

}  // namespace attune::serve
