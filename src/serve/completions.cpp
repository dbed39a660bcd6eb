// Words as they are written, by server-sent events: translations, and completions of language models as
// OpenAI's interface has them.
#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "serve/fields.h"
#include "serve/routes.h"
#include "serve/stream_words.h"

namespace attune::serve {
namespace {

using nlohmann::json;

constexpr int64_t kMostWords = 4096;

std::string event(const json& value) {
  return "data: " + value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n\n";
}

struct Completion {
  ModelTable::Model model;
  std::string prompt;
  StreamOptions options;
  std::time_t created = std::time(nullptr);

  json part(const std::string& text, const json& reason) const {
    return {{"id", fmt::format("cmpl-{}", created)},
            {"object", "text_completion"},
            {"created", created},
            {"model", model->name()},
            {"choices", json::array({{{"index", 0}, {"text", text}, {"finish_reason", reason}}})}};
  }
};

// Runs until the end, the deadline, or until `tell` returns false. The reason why it ended.
std::string write(const Completion& completion, Engine::Time deadline, GrowingText& text,
                  const std::function<bool(const std::string&)>& tell) {
  const bool ended = stream_words(
      *completion.model, completion.prompt, completion.options,
      [&](int32_t word) { return tell(text.add(word)) && std::chrono::steady_clock::now() < deadline; });
  tell(text.rest());
  return ended ? "stop" : "length";
}

HttpResponse complete(Engine& engine, const HttpRequest& request) {
  const RequestFields fields(request);
  const auto model = engine.table()->find(fields.required("model"));
  if (model == nullptr || model->translates())
    throw HttpRefusal(400, "there is no such language model; GET /v1/models lists all models");
  Completion completion{model, fields.text("prompt", ""), {}};
  engine.require_length({completion.prompt});
  completion.options = {.most_words = fields.integer("max_tokens", 64, 1, kMostWords),
                        .temperature = fields.number("temperature", 1, 0, 10),
                        .top_p = fields.number("top_p", 1, 1e-6, 1),
                        .seed = fields.integer("seed", 1, 0, INT64_MAX)};
  const auto place = engine.take_core();
  const auto deadline = engine.deadline();
  if (!fields.flag("stream")) {
    GrowingText text(*model->vocabularies().target);
    std::string all;
    const std::string reason = write(completion, deadline, text, [&](const std::string& part) {
      all += part;
      return true;
    });
    json body = completion.part(all, reason);
    const int64_t prompt = model->tokens(completion.prompt);
    body["usage"] = {{"prompt_tokens", prompt},
                     {"completion_tokens", text.words()},
                     {"total_tokens", prompt + text.words()}};
    return json_response(body);
  }
  HttpResponse response{.content_type = "text/event-stream"};
  response.stream = [completion, deadline, place](const WritePart& out) {
    GrowingText text(*completion.model->vocabularies().target);
    const std::string reason = write(completion, deadline, text, [&](const std::string& part) {
      return out(part.empty() ? "" : event(completion.part(part, nullptr)));
    });
    out(event(completion.part("", reason)));
    out("data: [DONE]\n\n");
  };
  return response;
}

// Sentence by sentence, the likeliest words.
HttpResponse translate(Engine& engine, const HttpRequest& request) {
  const RequestFields fields(request);
  const auto model = asked_model(*engine.table(), fields);
  const std::string text = fields.required("q");
  engine.require_length({text});
  auto lines =
      cut_document(text, model->longest(), [&](const std::string& part) { return model->tokens(part); });
  const auto place = engine.take_core();
  const auto deadline = engine.deadline();
  HttpResponse response{.content_type = "text/event-stream"};
  response.stream = [model, lines = std::move(lines), place, deadline](const WritePart& out) {
    std::vector<std::string> outputs;
    const auto in_time = [&] { return std::chrono::steady_clock::now() < deadline; };
    bool going = true;
    for (const CutLine& line : lines)
      for (const TextPart& part : line.parts) {
        GrowingText growing(*model->vocabularies().target);
        std::string& output = outputs.emplace_back();
        const auto tell = [&](const std::string& more) {
          output += more;
          return out(more.empty() ? "" : event({{"sentence", outputs.size() - 1}, {"text", more}})) &&
                 in_time();
        };
        if (!going) continue;
        stream_words(*model, part.text, {}, [&](int32_t word) { return going = tell(growing.add(word)); });
        tell(growing.rest());
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
