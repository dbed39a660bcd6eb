// Service: what stands between a request and its handler. It finds the route, asks for keys, keeps clients to
// their rates, turns exceptions into answers, counts, and writes the access log.
#pragma once

#include <cstdio>
#include <map>
#include <string>

#include "serve/api_keys.h"
#include "serve/engine.h"
#include "serve/http_server.h"
#include "serve/rate_limit.h"
#include "serve/routes.h"

namespace attune::serve {

struct ServiceOptions {
  ApiKeys keys = {};
  int64_t rate = 0;       // requests a minute of an address, or of a key without a rate of its own; 0: any
  std::string cors = {};  // the origin whose pages may ask; "*": all; empty: none
  bool behind_proxy = false;  // the last address in X-Forwarded-For is the client's
  std::FILE* log = nullptr;   // a line a request
};

class Service final : public HttpApp {
 public:
  Service(const ServiceOptions& options, Engine& engine, Metrics& metrics);

  HttpResponse handle(const HttpRequest& request) override;
  HttpResponse refuse(const HttpRefusal& refusal, const std::string& address) override;

 private:
  struct Client {
    std::string address, name = "-";
  };

  HttpResponse answer(const HttpRequest& request, const Route*& route, Client& client);
  void admit(const HttpRequest& request, const Route& route, Client& client);
  void finish(HttpResponse& response) const;
  void log(const Client& client, const std::string& request, const HttpResponse& response,
           double seconds) const;

  ServiceOptions options_;
  Engine& engine_;
  Metrics& metrics_;
  RateLimit rates_;
  std::vector<Route> routes_;
};

}  // namespace attune::serve
