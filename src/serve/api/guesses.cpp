// What a model would write: the next token of a text, or the tokens behind its masks.
#include <cmath>

#include "attune/patience.h"
#include "attune/threads.h"
#include "look/next_tokens.h"
#include "serve/api/request_fields.h"
#include "serve/api/routes.h"

namespace attune::serve {
namespace {

using nlohmann::json;

constexpr int64_t kMostGuesses = 100;

// A request for one text and one model, on one core.
struct Question {
  Question(Engine& engine, const HttpRequest& request)
      : fields(request),
        text(fields.text("q", "")),
        model(model_called(*engine.table(), fields.required("model"))),
        top(fields.integer("top", 8, 1, kMostGuesses)) {
    fields.require_only({"q", "model", "top"});
    engine.require_length({text});
    core = engine.take_core();
  }

  RequestFields fields;
  std::string text;
  ModelTable::Model model;
  int64_t top;
  std::shared_ptr<void> core = {};
};

HttpResponse next(Engine& engine, const HttpRequest& request) {
  const Question question(engine, request);
  const Patience patience(engine.deadline());
  const ThreadCount one(1);
  json candidates = json::array();
  for (const auto& [token, p, text] :
       next_tokens(question.model->folder().model(), question.text, question.top))
    candidates.push_back({{"token", token}, {"p", p}, {"text", text}});
  return json_response({{"model", question.model->name()}, {"candidates", std::move(candidates)}});
}

HttpResponse fill(Engine& engine, const HttpRequest& request) {
  const Question question(engine, request);
  const Patience patience(engine.deadline());
  const ThreadCount one(1);
  const Filler filler = question.model->folder().filler({.top = question.top});
  const FillerLine line = filler.line(0, {&question.text, 1});
  json masks = json::array();
  const auto found = filler.candidates({&line, 1});
  for (size_t m = 0; m < found[0].size(); ++m) {
    json candidates = json::array();
    for (const auto& [token, log_p] : found[0][m])
      candidates.push_back({{"token", filler.piece(token)},
                            {"p", std::exp(log_p)},
                            {"text", filler.text(filler.filled(line, m, token))}});
    masks.push_back(std::move(candidates));
  }
  return json_response({{"model", question.model->name()}, {"masks", std::move(masks)}});
}

constexpr Route kRoutes[] = {
    {"POST", "/v1/next", false, next},
    {"POST", "/v1/fill", false, fill},
};

}  // namespace

std::span<const Route> guess_routes() { return kRoutes; }

}  // namespace attune::serve
