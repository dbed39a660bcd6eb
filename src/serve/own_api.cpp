// attune's own interface under /v1: all that a translation knows.
#include <fmt/core.h>

#include "serve/fields.h"
#include "serve/routes.h"

namespace attune::serve {
namespace {

using nlohmann::json;

json json_of(const Translator& translator, const Hypothesis& output, const std::string& source,
             bool alignment) {
  json object{{"text", translator.text(output, {.text = source})},
              {"score", output.score},
              {"normalised", output.normalised},
              {"ended", output.ended},
              {"tokens", translator.pieces(output)},
              {"word_scores", output.word_scores}};
  if (alignment) object["alignment"] = output.alignment;
  return object;
}

json json_of(const ServedModel& model, const TranslatedText& result, bool alignment) {
  json sentences = json::array();
  for (size_t i = 0; i < result.sentences.size(); ++i) {
    json outputs = json::array();
    for (const Hypothesis& output : result.outputs[i])
      outputs.push_back(json_of(model.plain(), output, result.sentences[i], alignment));
    json sentence{{"source", result.sentences[i]}, {"outputs", outputs}};
    if (alignment) sentence["source_tokens"] = model.vocabularies().source->pieces(result.sentences[i]);
    sentences.push_back(std::move(sentence));
  }
  return {{"text", result.text(model, 0)}, {"sentences", sentences}};
}

HttpResponse translate(Engine& engine, const HttpRequest& request) {
  const RequestFields fields(request);
  const auto texts = fields.texts("q");
  const auto model = asked_model(*engine.table(), fields);
  const SearchKind kind{fields.integer("n_best", 1, 1, model->most_outputs()), fields.flag("alignment")};
  json results = json::array();
  for (const TranslatedText& result : engine.translate(model, kind, texts.all))
    results.push_back(json_of(*model, result, kind.alignment));
  return json_response({{"model", model->name()}, {"translations", results}});
}

HttpResponse models(Engine& engine, const HttpRequest& /*request*/) {
  json list = json::array();
  for (const auto& model : engine.table()->models()) {
    json object{{"id", model->name()},
                {"object", "model"},
                {"type", model->type()},
                {"parameters", model->parameters()},
                {"beam_size", model->most_outputs()},
                {"longest", model->longest()},
                {"attends", model->attends()}};
    if (model->translates()) object.update({{"source", model->source()}, {"target", model->target()}});
    list.push_back(std::move(object));
  }
  return json_response({{"object", "list"}, {"data", list}});
}

constexpr Route kRoutes[] = {
    {"POST", "/v1/translate", false, translate},
    {"GET", "/v1/models", false, models},
};

}  // namespace

ModelTable::Model asked_model(const ModelTable& table, const RequestFields& fields) {
  const std::string name = fields.text("model", "");
  if (!name.empty()) return model_called(table, name);
  const auto model = table.find(fields.required("source"), fields.required("target"));
  if (model == nullptr) throw HttpRefusal(400, "there is no such model; GET /v1/models lists them");
  return model;
}

ModelTable::Model model_called(const ModelTable& table, const std::string& name) {
  const auto model = table.find(name);
  if (model == nullptr)
    throw HttpRefusal(400, fmt::format("there is no such model: {}; GET /v1/models lists them", name));
  return model;
}

std::span<const Route> own_routes() { return kRoutes; }

}  // namespace attune::serve
