// The engine of a page. JavaScript puts files into Emscripten's file system and calls one function with the
// name of what it wants and JSON; the answer is JSON too. Models are asked as a server is: the routes are the
// server's.
#include <emscripten.h>

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "attune/training.h"
#include "demo/dates.h"
#include "io/files/file.h"
#include "look/run_record.h"
#include "serve/api/request_fields.h"
#include "serve/api/routes.h"
#include "serve/engine/metrics.h"
#include "serve/markup/share_document.h"
#include "view/page.h"

// A part of an answer that is written word by word.
EM_JS(void, attune_part, (const char* text, size_t size),
      { Module["onPart"] && Module["onPart"](UTF8ToString(text, size)); });

namespace attune {
namespace {

using nlohmann::json;
using namespace serve;

// ---- Models and runs, as a server offers them
struct Opened {
  explicit Opened(const EngineOptions& options) : engine(options, metrics) {}
  Metrics metrics;
  Engine engine;
};
std::unique_ptr<Opened> opened;

json open(const json& request) {
  EngineOptions options{.models = {}};
  for (const json& model : request.value("models", json::array()))
    options.models.push_back(
        {model.value("source", ""), model.value("target", ""), model.at("folder").get<std::string>()});
  options.runs = run_places(request.value("runs", std::vector<std::string>()));
  options.queue.by_caller = true;
  options.characters = request.value("characters", options.characters);
  options.time_limit = std::chrono::hours(1);  // who waits too long ends the page's worker
  opened = std::make_unique<Opened>(options);
  return json::object();
}

HttpResponse handled(const HttpRequest& request) {
  try {
    if (!opened) throw UsageError("no model is open");
    static const std::vector<Route> routes = routes_under_v1();
    const Route* route = route_of(routes, request.path);
    if (route == nullptr || route->method != request.method)
      throw HttpRefusal(404, "there is nothing here: " + request.path);
    HttpResponse response = route->handle(opened->engine, request);
    if (response.stream)
      response.stream([](std::string_view part) {
        attune_part(part.data(), part.size());
        return true;
      });
    return response;
  } catch (const HttpRefusal& refusal) {
    return refusal_response(refusal, request.path);
  } catch (const UsageError& error) {
    return refusal_response({400, error.what()}, request.path);
  } catch (const std::exception& error) {
    return refusal_response({500, error.what()}, request.path);
  }
}

HttpRequest asked_of(const json& request) {
  HttpRequest asked{.method = request.at("method"),
                    .path = request.at("path"),
                    .query = request.value("query", ""),
                    .headers = {{"content-type", "application/json"}},
                    .body = request.value("body", "")};
  for (const auto& [name, value] : request.value("headers", json::object()).items())
    asked.headers.emplace_back(name, value.get<std::string>());
  return asked;
}

json answer(const json& request) {
  const HttpResponse response = handled(asked_of(request));
  json headers = json::object();
  for (const auto& [name, value] : response.headers) headers[name] = value;
  return {{"status", response.status},
          {"type", response.content_type},
          {"headers", headers},
          {"body", response.body}};
}

// ---- A long text, of which each of several workers translates a share
std::vector<CutLine> cut_of(const json& request) {
  if (!opened) throw UsageError("no model is open");
  const RequestFields fields(asked_of(request));
  const std::vector<std::string> text{fields.required("q")};
  opened->engine.require_length(text);
  return opened->engine.cut(*asked_model(*opened->engine.table(), fields), text).front().lines;
}

json share(const json& request) {
  return {{"shares", share_document(cut_of(request), request.at("most").get<size_t>())}};
}

// The whole text, from the source and the output of each of its sentences.
json join(const json& request) {
  const std::vector<CutLine> lines = cut_of(request);
  std::vector<std::string> parts, sources, outputs;
  for (const CutLine& line : lines)
    for (const CutPart& part : line.parts) parts.push_back(part.text);
  for (const json& sentence : request.at("sentences")) {
    sources.push_back(sentence.at("source"));
    outputs.push_back(sentence.at("output"));
  }
  if (sources != parts) throw UsageError("these are not the sentences of the text");
  return {{"text", join_document(lines, outputs)}};
}

// ---- Training, a while at a time
Setting setting_of(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_array()) return value.get<std::vector<std::string>>();
  return value.get<std::string>();
}

json json_of(const TrainingProgress& progress) {
  return {{"updates", progress.updates},
          {"epochs", progress.epochs},
          {"tokens", progress.tokens},
          {"seconds", progress.seconds},
          {"share", progress.share},
          {"loss", progress.loss},
          {"learning_rate", progress.learning_rate}};
}

struct TimeIsOver : std::exception {};

json train_for_a_while(const json& request) {
  Settings settings;
  for (const auto& [key, value] : request.at("settings").items()) settings.emplace(key, setting_of(value));
  const std::string folder = request.at("settings").at("model");
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(request.value("seconds", 2.0));
  json reply{{"finished", false}, {"scores", json::object()}, {"samples", json::array()}};
  const auto see = [&](const TrainingProgress& progress) {
    reply["progress"] = json_of(progress);
    if (std::chrono::steady_clock::now() >= end) throw TimeIsOver();
  };
  TrainingOptions options;
  options.on_progress = see;
  options.on_validation = [&](const TrainingProgress& progress, const std::vector<MetricValue>& scores,
                              const std::vector<TrainingSample>& samples) {
    for (const auto& [metric, value] : scores) reply["scores"][metric] = value;
    reply["samples"] = json::array();
    for (const auto& [source, reference, output] : samples)
      reply["samples"].push_back({{"source", source}, {"reference", reference}, {"output", output}});
    reply["progress"] = json_of(progress);
  };
  try {
    const TrainingResult result = train(settings, options);
    reply["finished"] = result.finished;
    reply["progress"] = json_of(result.progress);
  } catch (const TimeIsOver&) {
  }
  reply["run"] = json::parse(run_record(folder, std::filesystem::path(folder).filename().string()));
  return reply;
}

// ---- The demo's data
json make_dates_files(const json& request) {
  const demo::DateSets sets = demo::make_dates(
      request.value("seed", uint64_t{1}),
      {.train = request.value("train", int64_t{30'000}), .valid = request.value("valid", int64_t{300})});
  const std::filesystem::path folder = request.at("folder").get<std::string>();
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::vector<demo::DatePair>& pairs) {
    std::string written, iso;
    for (const demo::DatePair& pair : pairs) {
      written += pair.written + '\n';
      iso += pair.iso + '\n';
    }
    write_file_atomically(folder / (name + ".written"), written);
    write_file_atomically(folder / (name + ".iso"), iso);
  };
  write("train", sets.train);
  write("valid", sets.valid);
  return json::object();
}

json called(const std::string& name, const std::string& request) {
  static const std::map<std::string, json (*)(const json&)> functions{
      {"open", open}, {"answer", answer},           {"share", share},
      {"join", join}, {"train", train_for_a_while}, {"dates", make_dates_files}};
  const auto found = functions.find(name);
  if (found == functions.end()) throw UsageError("the engine has no function " + name);
  return found->second(json::parse(request));
}

}  // namespace
}  // namespace attune

// Both are UTF-8; the result is valid until the next call.
extern "C" EMSCRIPTEN_KEEPALIVE const char* attune_call(const char* name, const char* request) {
  static std::string reply;
  try {
    reply = attune::serve::dumped(attune::called(name, request));
  } catch (const std::exception& error) {
    reply = attune::serve::dumped({{"error", error.what()}});
  } catch (...) {
    reply = R"({"error":"the engine failed"})";
  }
  return reply.c_str();
}
