// Words as they are written, by server-sent events: translations, and completions of language models as
// OpenAI's interface has them.
#include <fmt/core.h>

#include <ctime>

#include "attune/threads.h"
#include "decode/generator.h"
#include "serve/fields.h"
#include "serve/routes.h"
#include "serve/stream_translation.h"

namespace attune::serve {
namespace {

using nlohmann::json;

constexpr int64_t kMostWords = 4096;

std::string event(const json& value) {
  return "data: " + value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n\n";
}

bool before(Engine::Time deadline) { return std::chrono::steady_clock::now() < deadline; }

struct Completion {
  ModelTable::Model model;
  std::string prompt;
  GeneratorSetup setup;
  Engine::Time deadline;
  std::shared_ptr<void> core;
  std::time_t created = std::time(nullptr);

  json part(const std::string& text, const json& reason) const {
    return {{"id", fmt::format("cmpl-{}", created)},
            {"object", "text_completion"},
            {"created", created},
            {"model", model->name()},
            {"choices", json::array({{{"index", 0}, {"text", text}, {"finish_reason", reason}}})}};
  }

  // Tells each part. How it ended, and the words that were written.
  std::pair<std::string, int64_t> write(const std::function<bool(const std::string&)>& tell) const {
    const ThreadCount one(1);
    const auto output =
        Generator(Ensemble(model->writer()), setup).stream(prompt, 0, [&](const std::string& text) {
          return tell(text) && before(deadline);
        });
    return {
        output.stopped || output.hypothesis.ended ? "stop" : "length",
        static_cast<int64_t>(output.hypothesis.words.size()) - (setup.answers ? 0 : model->tokens(prompt))};
  }
};

GeneratorSetup setup_of(const ServedModel& model, const RequestFields& fields) {
  GeneratorSetup setup{
      .vocabulary = model.vocabularies().target, .answers = model.answers(), .search = model.options()};
  const double temperature = fields.number("temperature", 1, 0, 10);
  setup.search.sampling = temperature > 0;
  if (temperature > 0) setup.search.temperature = temperature;
  setup.search.max_length = fields.integer("max_tokens", 64, 1, kMostWords);
  setup.search.top_p = fields.number("top_p", 1, 1e-6, 1);
  setup.search.seed = fields.integer("seed", 1, 0, INT64_MAX);
  if (fields.has("stop")) setup.stops = fields.texts("stop").all;
  return setup;
}

HttpResponse complete(Engine& engine, const HttpRequest& request) {
  const RequestFields fields(request);
  const auto model = engine.table()->find(fields.required("model"));
  if (model == nullptr || model->translates())
    throw HttpRefusal(400, "there is no such language model; GET /v1/models lists all models");
  const std::string prompt = fields.text("prompt", "");
  engine.require_length({prompt});
  const Completion completion{model, prompt, setup_of(*model, fields), engine.deadline(), engine.take_core()};
  if (!fields.flag("stream")) {
    std::string all;
    const auto [reason, words] = completion.write([&](const std::string& part) {
      all += part;
      return true;
    });
    json body = completion.part(all, reason);
    const int64_t read = model->tokens(prompt);
    body["usage"] = {{"prompt_tokens", read}, {"completion_tokens", words}, {"total_tokens", read + words}};
    return json_response(body);
  }
  HttpResponse response{.content_type = "text/event-stream"};
  response.stream = [completion](const WritePart& out) {
    const auto [reason, words] = completion.write([&](const std::string& part) {
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
      cut_document(text, model->longest_part(), [&](const std::string& part) { return model->tokens(part); });
  const auto core = engine.take_core();
  const auto deadline = engine.deadline();
  HttpResponse response{.content_type = "text/event-stream"};
  response.stream = [model, lines = std::move(lines), core, deadline](const WritePart& out) {
    std::vector<std::string> outputs;
    bool going = true;
    for (const CutLine& line : lines)
      for (const TextPart& part : line.parts) {
        std::string& output = outputs.emplace_back();
        if (!going) continue;
        stream_translation(*model, part.text, [&](const std::string& more) {
          output += more;
          const bool there =
              out(more.empty() ? "" : event({{"sentence", outputs.size() - 1}, {"text", more}}));
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
