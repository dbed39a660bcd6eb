// attune's own interface under /v1: everything that is known about a translation.
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>

#include "attune/patience.h"
#include "attune/threads.h"
#include "serve/api/attend_edits.h"
#include "serve/api/language_codes.h"
#include "serve/api/openai_refusal.h"
#include "serve/api/request_fields.h"
#include "serve/api/routes.h"
#include "serve/http/form.h"

namespace attune::serve {
namespace {

using nlohmann::json;

// The most bytes of a number in an alignment: "1.23457e-05,".
constexpr size_t kWeightBytes = 12;

// The answer, written directly as text: most of it is alignments, which never become JSON objects.
class AnswerWriter {
 public:
  AnswerWriter(const ServedModel& model, bool alignment, size_t most_bytes)
      : model_(model), alignment_(alignment), most_bytes_(most_bytes) {
    body_ = fmt::format(R"({{"model":{},"translations":[)", json(model.name()).dump());
  }

  void add(const TranslatedText& result) {
    separate();
    add_json({{"text", result.text(model_, 0)}}, R"(,"sentences":[)");
    const auto sentences = result.sentences();
    for (size_t i = 0; i < sentences.size(); ++i) {
      if (i > 0) body_ += ',';
      const std::string& source = sentences[i]->text;
      json sentence{{"source", source}};
      if (alignment_) sentence["source_tokens"] = model_.vocabularies().source->pieces(source);
      add_json(sentence, R"(,"outputs":[)");
      for (size_t n = 0; n < result.outputs[i].size(); ++n) {
        if (n > 0) body_ += ',';
        add(result.outputs[i][n], source);
      }
      body_ += "]}";
    }
    body_ += "]}";
  }

  std::string finish() && { return std::move(body_) + "]}"; }

 private:
  void add(const Hypothesis& output, const std::string& source) {
    const Translator& translator = model_.plain();
    add_json({{"text", translator.text(output, {.text = source})},
              {"score", output.score},
              {"normalised", output.normalised},
              {"ended", output.ended},
              {"tokens", translator.pieces(output)},
              {"word_scores", output.word_scores}},
             "");
    if (alignment_) {
      body_ += R"(,"alignment":[)";
      for (size_t i = 0; i < output.alignment.size(); ++i) {
        fmt::format_to(std::back_inserter(body_), "{}[{:.6g}]", i == 0 ? "" : ",",
                       fmt::join(output.alignment[i], ","));
        require_room();
      }
      body_ += ']';
    }
    body_ += '}';
  }

  // An object that stays open.
  void add_json(const json& object, std::string_view more) {
    const std::string text = dumped(object);
    body_ += std::string_view(text).substr(0, text.size() - 1);
    body_ += more;
    require_room();
  }

  void separate() {
    if (!body_.ends_with('[')) body_ += ',';
  }

  void require_room() const {
    if (body_.size() > most_bytes_) throw too_large(most_bytes_);
  }

 public:
  static HttpRefusal too_large(size_t most_bytes) {
    return {400,
            fmt::format("Invalid request: the answer would be longer than {} bytes; ask for less text, fewer "
                        "outputs or no alignment",
                        most_bytes)};
  }

 private:
  const ServedModel& model_;
  bool alignment_;
  size_t most_bytes_;
  std::string body_;
};

// Alignments grow with the square of the sentence length: requests whose answer might be too large are //
// refused before anything is computed.
void require_room(const Engine& engine, const ServedModel& model, const SearchKind& kind,
                  const std::vector<TranslatedText>& texts) {
  if (!kind.alignment) return;
  double weights = 0;
  for (const TranslatedText& text : texts)
    for (const CutPart* sentence : text.sentences()) {
      const int64_t read = std::ssize(sentence->tokens), written = model.options().longest(read);
      weights += static_cast<double>(kind.n_best) * static_cast<double>(read) * static_cast<double>(written);
    }
  const size_t most = engine.options().answer_bytes;
  if (weights * kWeightBytes > static_cast<double>(most)) throw AnswerWriter::too_large(most);
}

// Every layer and head of a model, for what they are called.
view::Attention glance(Engine& engine, const ServedModel& model) {
  const Patience patience(engine.deadline());
  const auto core = engine.take_core();
  const ThreadCount one(1);
  return model.folder().prober({.search = model.options()}).look("a", "");
}

HttpResponse translate(Engine& engine, const HttpRequest& request) {
  const RequestFields fields(request);
  fields.require_only({"q", "model", "source", "target", "n_best", "alignment", "heads_off"});
  const auto texts = fields.texts("q");
  auto model = asked_model(*engine.table(), fields);
  if (const AttentionEdits edits(heads_off(fields)); !edits.all().empty()) {
    require_seen(edits, glance(engine, *model));
    model = model->edited(edits);
  }
  const SearchKind kind{fields.integer("n_best", 1, 1, model->most_outputs()), fields.flag("alignment")};
  engine.require_length(texts.all);
  auto cut = engine.cut(*model, texts.all);
  require_room(engine, *model, kind, cut);
  AnswerWriter answer(*model, kind.alignment, engine.options().answer_bytes);
  for (const TranslatedText& result : engine.translate(model, kind, std::move(cut))) answer.add(result);
  return {.body = std::move(answer).finish()};
}

// When the folder was written, in seconds since 1970.
int64_t created(const ServedModel& model) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(model.folder().path(), error);
  if (error) return 0;
  const auto seconds = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(seconds).count();
}

json json_of(const ServedModel& model) {
  json object{{"id", model.name()},
              {"object", "model"},
              {"created", created(model)},
              {"owned_by", "attune"},
              {"type", model.type()},
              {"task", model.folder().task().verb()},
              {"parameters", model.parameters()},
              {"beam_size", model.most_outputs()},
              {"longest", model.folder().longest()},
              {"attends", model.attends()}};
  if (model.translates()) object.update({{"source", model.source()}, {"target", model.target()}});
  return object;
}

HttpResponse models(Engine& engine, const HttpRequest& /*request*/) {
  json list = json::array();
  for (const auto& model : engine.table()->models()) list.push_back(json_of(*model));
  return json_response({{"object", "list"}, {"data", list}});
}

constexpr std::string_view kModelPath = "/v1/models/";

HttpResponse one_model(Engine& engine, const HttpRequest& request) {
  const std::string name =
      percent_decoded(std::string_view(request.path).substr(kModelPath.size())).value_or("");
  const auto model = engine.table()->find(name);
  if (model == nullptr) throw model_not_found(name);
  return json_response(json_of(*model));
}

constexpr Route kRoutes[] = {
    {"POST", "/v1/translate", false, translate},
    {"GET", "/v1/models", false, models},
    {"GET", kModelPath, false, one_model},
};

}  // namespace

ModelTable::Model asked_model(const ModelTable& table, const RequestFields& fields) {
  const std::string name = fields.text("model", "");
  if (!name.empty()) {
    auto model = model_called(table, name);
    if (!model->writes()) throw HttpRefusal(400, "this model fills masks; use POST /v1/fill");
    return model;
  }
  const auto source = served_language(table, fields.required("source")),
             target = served_language(table, fields.required("target"));
  const auto model = source && target ? table.find(*source, *target) : nullptr;
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
