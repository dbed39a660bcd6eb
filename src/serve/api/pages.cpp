// The page at /, and the data that it requests: attention of a sentence, and training runs.
#include <fmt/core.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "attune/error.h"
#include "attune/patience.h"
#include "attune/threads.h"
#include "look/run_record.h"
#include "serve/api/attend_edits.h"
#include "serve/api/request_fields.h"
#include "serve/api/routes.h"
#include "view/page.h"

namespace attune::serve {
namespace {

using nlohmann::json;

constexpr int64_t kMostTokens = 512;  // that are looked at: all heads of all layers are kept for each pair
constexpr int64_t kMostForGradients = 128;  // each token that is written takes a pass backward

std::string base64_of_sha256(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> sum{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum.data());
  std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> encoded{};
  const int length = EVP_EncodeBlock(encoded.data(), sum.data(), SHA256_DIGEST_LENGTH);
  return {encoded.begin(), encoded.begin() + length};
}

// Only the page's own program may run, and it may talk only to this server.
std::string page_policy() {
  constexpr std::string_view begin = "<script>", end = "</script>";
  const std::string page = view::html_with("");
  const size_t from = page.find(begin) + begin.size();
  const std::string_view program = std::string_view(page).substr(from, page.find(end, from) - from);
  return fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; connect-src 'self'; "
      "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      base64_of_sha256(program));
}

HttpResponse page(Engine& engine, const HttpRequest& /*request*/) {
  if (!view::has_pages())
    throw HttpRefusal(404, "this server was built without its page; GET /spec lists what it offers");
  static const std::string policy = page_policy();
  json runs = json::array();
  for (const RunPlace& run : engine.options().runs) runs.push_back(run.name);
  const json data{
      {"title", ""},
      {"text", ""},
      {"sentences", json::array()},
      {"runs", json::array()},
      {"server",
       {{"runs", runs}, {"keys", engine.options().keys_needed}, {"longest", engine.options().characters}}}};
  return {.content_type = "text/html; charset=utf-8",
          .body = view::html_with(data.dump()),
          .headers = {{"Content-Security-Policy", policy}}};
}

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

HttpResponse runs(Engine& engine, const HttpRequest& /*request*/) {
  json list = json::array();
  for (const RunPlace& run : engine.options().runs) list.push_back({{"id", run.name}, {"object", "run"}});
  return json_response({{"object", "list"}, {"data", list}});
}

HttpResponse run(Engine& engine, const HttpRequest& request) {
  const RequestFields fields(request);
  fields.require_only({"name"});
  const std::string name = fields.required("name");
  const auto& places = engine.options().runs;
  const auto place = std::ranges::find(places, name, &RunPlace::name);
  if (place == places.end()) throw HttpRefusal(404, "there is no such run; GET /v1/runs lists them");
  view::Page seen;
  try {
    seen.runs.push_back(run_record(place->folder, place->name));
  } catch (const UsageError&) {
    throw HttpRefusal(404, "this run can no longer be read");
  }
  std::string body = view::page_json(seen);
  const HttpHeaders tag{{"ETag", fmt::format("\"{}\"", base64_of_sha256(body))},
                        {"Cache-Control", "no-cache"}};
  if (request.all_headers("if-none-match") == tag[0].second) return {.status = 304, .headers = tag};
  return {.body = std::move(body), .headers = tag};
}

constexpr Route kRoutes[] = {
    {"GET", "/", true, page},
    {"POST", "/v1/attend", false, attend},
    {"GET", "/v1/runs", false, runs},
    {"GET", "/v1/run", false, run},
};

}  // namespace

std::span<const Route> page_routes() { return kRoutes; }

}  // namespace attune::serve
