// Streams words as they are written, as server-sent events: translations, and completions of language models
// with OpenAI's interface.
#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <random>
#include <set>

#include "attune/threads.h"
#include "serve/api/openai_refusal.h"
#include "serve/api/request_fields.h"
#include "serve/api/routes.h"

namespace attune::serve {
namespace {

using nlohmann::json;

constexpr int64_t kMostWords = 4096;  // of a choice
constexpr int64_t kMostChoices = 16;  // of a request

std::string event(const json& value) { return "data: " + dumped(value) + "\n\n"; }

int64_t random_seed() {
  std::random_device device;
  return static_cast<int64_t>((uint64_t{device()} << 31 ^ device()) & INT64_MAX);
}

std::string new_id() { return fmt::format("cmpl-{:016x}{:016x}", random_seed(), random_seed()); }

bool before(Engine::Time deadline) { return std::chrono::steady_clock::now() < deadline; }

// Writes one choice after the other, on one core.
struct Completion {
  ModelTable::Model model;
  std::vector<std::string> prompts;
  int64_t each = 1;  // choices for a prompt
  bool echo = false, with_usage = false;
  GeneratorOptions options;
  Engine::Time deadline;
  std::shared_ptr<void> core;
  std::string id = new_id();
  std::time_t created = std::time(nullptr);

  json object(json choices) const {
    return {{"id", id},
            {"object", "text_completion"},
            {"created", created},
            {"model", model->name()},
            {"choices", std::move(choices)}};
  }
  static json choice(size_t index, const std::string& text, const json& reason) {
    return {{"index", index}, {"text", text}, {"logprobs", nullptr}, {"finish_reason", reason}};
  }

  // Passes on each part of each choice, and at its end why it ended, as long as somebody listens. Returns the
  // number of words written.
  using Tell = std::function<bool(size_t index, const std::string& text, const json& reason)>;
  int64_t write(const Tell& tell) const {
    const ThreadCount one(1);
    const Generator generator = model->folder().generator(options);
    int64_t words = 0;
    for (size_t index = 0; index < prompts.size() * static_cast<size_t>(each); ++index) {
      const std::string& prompt = prompts[index / static_cast<size_t>(each)];
      bool listens = !echo || tell(index, prompt, nullptr);
      const auto output = generator.stream(prompt, index, [&](const std::string& text) {
        listens = tell(index, text, nullptr);
        return listens && before(deadline);
      });
      words += std::ssize(output.hypothesis.words) - (generator.answers() ? 0 : model->tokens(prompt));
      if (!listens || !tell(index, "", output.stopped || output.hypothesis.ended ? "stop" : "length")) break;
    }
    return words;
  }

  json usage(int64_t words) const {
    int64_t read = 0;
    for (const std::string& prompt : prompts) read += model->tokens(prompt);
    return {{"prompt_tokens", read}, {"completion_tokens", words}, {"total_tokens", read + words}};
  }
};

GeneratorOptions options_of(const ServedModel& model, const RequestFields& fields) {
  GeneratorOptions options{.search = model.options()};
  SearchOptions& search = options.search;
  const double temperature = fields.number("temperature", 1, 0, 2);
  search.sampling = temperature > 0;
  if (temperature > 0) search.temperature = temperature;
  search.max_length = fields.integer("max_tokens", 16, 1, kMostWords);
  search.top_k = fields.integer("top_k", 0, 0, INT32_MAX);
  search.top_p = fields.number("top_p", 1, 1e-6, 1);
  search.seed = fields.has("seed") ? fields.integer("seed", 0, INT64_MIN / 2, INT64_MAX) : random_seed();
  if (fields.has("stop")) options.stops = fields.texts("stop").all;
  if (options.stops.size() > 4 || std::ranges::find(options.stops, "") != options.stops.end())
    throw OpenAiRefusal(400, "stop should be at most 4 texts, none of them empty", "stop", "invalid_value");
  return options;
}

// Refuses fields that would have no effect, unless they have the default value.
void require_known(const RequestFields& fields) {
  static const std::set<std::string> known{"model", "prompt", "max_tokens", "temperature",    "top_k",
                                           "top_p", "n",      "stream",     "stream_options", "stop",
                                           "seed",  "echo",   "user",       "api_key"};
  static const std::map<std::string, std::vector<json>> neutral{
      {"best_of", {1}}, {"frequency_penalty", {0}},       {"presence_penalty", {0}},
      {"logprobs", {}}, {"logit_bias", {json::object()}}, {"suffix", {""}}};
  for (const std::string& name : fields.names()) {
    if (known.contains(name) || fields.value(name).is_null()) continue;
    const auto found = neutral.find(name);
    if (found == neutral.end())
      throw OpenAiRefusal(400, fmt::format("unrecognized request argument supplied: {}", name), name,
                          "unknown_parameter");
    const json& value = fields.value(name);
    if (std::ranges::find(found->second, value) == found->second.end())
      throw OpenAiRefusal(400, fmt::format("{} is not supported here and should be left out", name), name,
                          "unsupported_parameter");
  }
}

std::vector<std::string> prompts_of(const RequestFields& fields) {
  const json& prompt = fields.value("prompt");
  if (prompt.is_null() || (prompt.is_string() && prompt.get_ref<const std::string&>().empty())) return {""};
  const bool texts =
      prompt.is_string() ||
      (prompt.is_array() && std::ranges::all_of(prompt, [](const json& each) { return each.is_string(); }));
  if (!texts)
    throw OpenAiRefusal(400, "prompt should be a text or a list of texts; tokens are not supported", "prompt",
                        "invalid_type");
  return fields.texts("prompt").all;
}

Completion completion_of(Engine& engine, const RequestFields& fields) {
  require_known(fields);
  const auto model = engine.table()->find(fields.required("model"));
  if (model == nullptr) throw model_not_found(fields.required("model"));
  if (model->translates())
    throw OpenAiRefusal(400, "this model translates; use POST /v1/translate", "model", "invalid_value");
  if (!model->writes())
    throw OpenAiRefusal(400, "this model fills masks; use POST /v1/fill", "model", "invalid_value");
  auto prompts = prompts_of(fields);
  engine.require_length(prompts);
  const int64_t each = fields.integer("n", 1, 1, kMostChoices);
  if (std::ssize(prompts) * each > kMostChoices)
    throw OpenAiRefusal(400, fmt::format("at most {} choices can be written at a time", kMostChoices), "n",
                        "invalid_value");
  const json& more = fields.value("stream_options");
  const bool with_usage = more.is_object() && more.value("include_usage", json()) == true;
  return {.model = model,
          .prompts = std::move(prompts),
          .each = each,
          .echo = fields.flag("echo"),
          .with_usage = with_usage,
          .options = options_of(*model, fields),
          .deadline = engine.deadline(),
          .core = engine.take_core()};
}

HttpResponse complete(Engine& engine, const HttpRequest& request) {
  const RequestFields fields(request);
  const Completion completion = completion_of(engine, fields);
  if (!fields.flag("stream")) {
    std::vector<std::string> texts;
    json choices = json::array();
    const int64_t words = completion.write([&](size_t index, const std::string& text, const json& reason) {
      texts.resize(index + 1);
      texts[index] += text;
      if (!reason.is_null()) choices.push_back(Completion::choice(index, texts[index], reason));
      return true;
    });
    json body = completion.object(std::move(choices));
    body["usage"] = completion.usage(words);
    return json_response(body);
  }
  HttpResponse response{.content_type = "text/event-stream"};
  response.stream = [completion](const WritePart& out) {
    const int64_t words = completion.write([&](size_t index, const std::string& text, const json& reason) {
      if (text.empty() && reason.is_null()) return out("");
      return out(event(completion.object(json::array({Completion::choice(index, text, reason)}))));
    });
    if (completion.with_usage) {
      json last = completion.object(json::array());
      last["usage"] = completion.usage(words);
      out(event(last));
    }
    out("data: [DONE]\n\n");
  };
  return response;
}

// Sentence by sentence, with greedy search.
HttpResponse translate(Engine& engine, const HttpRequest& request) {
  const RequestFields fields(request);
  fields.require_only({"q", "model", "source", "target"});
  const auto model = asked_model(*engine.table(), fields);
  const std::string text = fields.required("q");
  engine.require_length({text});
  auto lines = cut_document(text, model->longest_part(),
                            [&](const std::string& part) { return model->plain().tokens(part); });
  const auto core = engine.take_core();
  const auto deadline = engine.deadline();
  HttpResponse response{.content_type = "text/event-stream"};
  response.stream = [model, lines = std::move(lines), core, deadline](const WritePart& out) {
    const ThreadCount one(1);
    std::vector<std::string> outputs;
    bool going = true;
    for (const CutLine& line : lines)
      for (const CutPart& part : line.parts) {
        std::string& output = outputs.emplace_back();
        if (!going) continue;
        model->plain().stream({.text = part.text, .tokens = part.tokens}, [&](const std::string& more) {
          output += more;
          const bool there = out(event({{"sentence", outputs.size() - 1}, {"text", more}}));
          return going = there && before(deadline);
        });
      }
    out(event({{"done", going}, {"text", join_document(lines, outputs)}}));
  };
  return response;
}

constexpr Route kRoutes[] = {
    {"POST", "/v1/completions", false, complete},
    {"POST", "/v1/translate/stream", false, translate},
};

}  // namespace

std::span<const Route> streaming_routes() { return kRoutes; }

}  // namespace attune::serve
