// For tests: a service over small random models, without sockets.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/yaml.h"
#include "serve/service.h"
#include "testing/scratch.h"
#include "text/vocabulary_trainer.h"

namespace attune::serve {

using nlohmann::json;

struct Decoding {
  int64_t beam_size = 3, max_length = 12;
  void fields(Fields& f) {
    f("beam_size", beam_size, "");
    f("max_length", max_length, "");
  }
};

struct Trained {
  std::vector<std::string> train_sets{"data/train.en", "data/train.de.gz"};
  void fields(Fields& f) { f("train_sets", train_sets, ""); }
};

inline void save_random_model(const std::filesystem::path& path, const std::string& configuration,
                              uint64_t seed) {
  const std::shared_ptr<const Vocabulary> vocabulary =
      train_vocabulary({{1, [](int64_t) { return "a b c d e f g h"; }}}, {.kind = VocabularyKind::word});
  const auto config = read_model_config(read_yaml(configuration, "test.yml"));
  Parameters parameters;
  const auto model = config->make(Scope(parameters, Random(seed)), {vocabulary->size(), vocabulary->size()});
  Decoding decoding;
  Trained trained;
  save_model_folder(path, *config, {vocabulary, vocabulary}, parameters, fields_of(decoding),
                    fields_of(trained));
}

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
  // What the model gives for a sentence, without the server.
  std::string expected(const std::string& text) const {
    const std::vector<std::string> texts{text};
    return engine->table()->models()[0]->plain().translate(texts)[0];
  }
};

inline std::string header(const HttpResponse& response, const std::string& name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return "";
}

}  // namespace attune::serve
