// The attention of a sentence, for the page.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "attune/patience.h"
#include "attune/threads.h"
#include "serve/api/attend_edits.h"
#include "serve/api/request_fields.h"
#include "serve/api/routes.h"
#include "view/page.h"

namespace attune::serve {
namespace {

constexpr int64_t kMostTokens = 512;  // that are looked at: all heads of all layers are kept for each pair
constexpr int64_t kMostForGradients = 128;  // each token that is written takes a pass backward

std::vector<ModelTable::Model> asked_models(const ModelTable& table, const RequestFields& fields) {
  if (!fields.has("model")) return {asked_model(table, fields)};
  const auto names = fields.texts("model").all;
  if (names.size() > table.models().size())
    throw HttpRefusal(
        400, fmt::format("Invalid request: it names more models than there are ({})", table.models().size()));
  std::vector<ModelTable::Model> models;
  for (const std::string& name : names) models.push_back(model_called(table, name));
  return models;
}

struct Wish {
  std::string text;
  std::optional<std::string> output;
  std::vector<std::string> begin;  // tokens
  bool numbers, gradients;
  view::AttentionChoice matrices;
  AttentionEdits edits;
};

// The text of tokens that the output has to begin with; with </s> they are all of it.
void read_beginning(const ServedModel& model, Wish& wish, std::string& begin) {
  if (wish.begin.empty()) return;
  const Vocabulary& target = *model.vocabularies().target;
  if (!model.writes() || wish.output)
    throw HttpRefusal(400, "Invalid request: begin is for what a model's search writes, without output");
  for (const std::string& token : wish.begin)
    if (!target.id(token))
      throw HttpRefusal(400, fmt::format("Invalid request: begin: there is no token '{}'", token));
  const bool ends = wish.begin.back() == target.piece(target.eos());
  if (ends) wish.begin.pop_back();
  (ends ? wish.output.emplace() : begin) = target.join(wish.begin);
}

view::Attention look(const ServedModel& model, Wish wish) {
  std::string begin;
  read_beginning(model, wish, begin);
  const int64_t tokens = std::max<int64_t>(
      model.tokens(wish.text), std::ssize(model.vocabularies().target->encode(wish.output.value_or(""))));
  const int64_t most = wish.gradients ? kMostForGradients : kMostTokens;
  if (tokens > most)
    throw HttpRefusal(
        400, fmt::format("Invalid request: {} tokens are too many to show; {} are allowed", tokens, most));
  ProbeOptions options{.name = model.name(),
                       .search = model.options(),
                       .numbers = wish.numbers,
                       .matrices = wish.matrices,
                       .gradients = wish.gradients,
                       .begin = begin};
  options.search.max_length = std::min(options.search.max_length, most);
  const ModelFolder folder = wish.edits.all().empty() ? model.folder() : model.folder().edited(wish.edits);
  view::Attention seen = folder.prober(options).look(wish.text, wish.output);
  require_seen(wish.edits, seen);
  return seen;
}

HttpResponse attend(Engine& engine, const HttpRequest& request) {
  const RequestFields fields(request);
  fields.require_only({"q", "model", "source", "target", "output", "begin", "numbers", "matrices",
                       "gradients", "heads_off", "look_at"});
  const Wish wish{.text = fields.required("q"),
                  .output = fields.has("output") ? std::optional(fields.text("output", ""))
                                                 : std::optional<std::string>(),
                  .begin = fields.has("begin") ? fields.texts("begin").all : std::vector<std::string>(),
                  .numbers = fields.flag("numbers"),
                  .gradients = fields.flag("gradients"),
                  .matrices = choice_of(fields),
                  .edits = edits_of(fields)};
  const auto models = asked_models(*engine.table(), fields);
  if (models.size() > 1 && !wish.edits.all().empty())
    throw HttpRefusal(400, "Invalid request: heads_off and look_at are for one model at a time");
  engine.require_length({wish.text, wish.output.value_or("")});
  const Patience patience(engine.deadline());
  const auto core = engine.take_core();
  const ThreadCount one(1);
  view::Page seen;
  view::PageSentence& sentence = seen.sentences.emplace_back();
  for (const auto& model : models) {
    Patience::check();
    sentence.models.push_back(look(*model, wish));
  }
  return {.body = view::page_json(seen)};
}

constexpr Route kRoutes[] = {{"POST", "/v1/attend", false, attend}};

}  // namespace

std::span<const Route> attend_routes() { return kRoutes; }

}  // namespace attune::serve
