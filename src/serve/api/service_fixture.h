// For tests: a service over small random models, without sockets.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/random_folder_fixture.h"
#include "serve/api/service.h"
#include "testing/scratch.h"

namespace attune::serve {

using attune::testing::save_random_model;
using nlohmann::json;

struct Server {
  testing::ScratchFolder scratch;
  Metrics metrics;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Service> service;

  explicit Server(const std::function<void(EngineOptions&, ServiceOptions&)>& set = {}) {
    save_random_model(scratch / "model", "type: rnn\nembedding: 8\nhidden: 8\n", 3);
    EngineOptions options{.models = {parse_model_place((scratch / "model").string())}};
    ServiceOptions service_options;
    if (set) set(options, service_options);
    engine = std::make_unique<Engine>(options, metrics);
    service = std::make_unique<Service>(service_options, *engine, metrics);
  }

  // A random model in a folder beside the first, as -m names it.
  static ModelPlace beside(const EngineOptions& options, const std::string& name,
                           const std::string& languages, const std::string& configuration, uint64_t seed) {
    const auto folder = std::filesystem::path(options.models[0].folder).parent_path() / name;
    save_random_model(folder, configuration, seed);
    return parse_model_place((languages.empty() ? "" : languages + "=") + folder.string());
  }

  HttpResponse get(const std::string& path) { return service->handle({.method = "GET", .path = path}); }
  HttpResponse post(const std::string& path, const json& body, HttpHeaders headers = {}) {
    headers.emplace_back("content-type", "application/json");
    return service->handle({.method = "POST",
                            .path = path,
                            .headers = std::move(headers),
                            .body = body.dump(),
                            .address = "1.2.3.4"});
  }
  json translate(json fields, int status = 200) {
    const json all{{"source", "en"}, {"target", "de"}};
    for (const auto& [name, value] : all.items())
      if (!fields.contains(name)) fields[name] = value;
    const HttpResponse response = post("/translate", fields);
    EXPECT_EQ(response.status, status) << response.body;
    return json::parse(response.body);
  }
  // What a model gives for a sentence, without the server.
  std::string expected(const std::string& text, size_t model = 0) const {
    const std::vector<std::string> texts{text};
    return engine->table()->models()[model]->plain().translate(texts)[0];
  }
};

inline std::string header(const HttpResponse& response, const std::string& name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return "";
}

// The values of server-sent events.
inline std::vector<std::string> events(const HttpResponse& response) {
  EXPECT_EQ(response.content_type, "text/event-stream") << response.body;
  std::string all;
  if (response.stream)
    response.stream([&](std::string_view part) {
      all += part;
      return true;
    });
  std::vector<std::string> values;
  for (size_t at = 0; at < all.size();) {
    const size_t end = all.find("\n\n", at);
    EXPECT_EQ(all.substr(at, 6), "data: ");
    values.push_back(all.substr(at + 6, end - at - 6));
    at = end + 2;
  }
  return values;
}

}  // namespace attune::serve
