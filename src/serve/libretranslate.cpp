// LibreTranslate's HTTP interface, so that its clients work unchanged.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "serve/detect_language.h"
#include "serve/fields.h"
#include "serve/openapi.h"
#include "serve/routes.h"

namespace attune::serve {
namespace {

using nlohmann::json;

constexpr int64_t kMostAlternatives = 16;

// What a text is written in when the client does not say.
Detected detected(const std::string& text, const ModelTable& table) {
  const auto sources = table.sources();
  const auto found = detect_language(text, sources);
  return found.empty() ? Detected{sources.empty() ? "" : sources[0], 0} : found[0];
}

json json_of(const Detected& language) {
  return {{"confidence", language.confidence}, {"language", language.language}};
}

struct Asked {
  std::string source, target;
  int64_t alternatives;
  TextFormat format;
};

void require_languages(const ModelTable& table, const Asked& asked) {
  const auto languages = table.languages();
  for (const std::string& code : {asked.source, asked.target})
    if (code != "auto" && std::ranges::find(languages, code, &Language::code) == languages.end())
      throw HttpRefusal(400, fmt::format("{} is not supported", code));
  if (asked.target == "auto") throw HttpRefusal(400, "auto is not supported");
}

// The answer for the texts of one source language.
struct Answer {
  std::vector<std::string> texts;
  std::vector<std::vector<std::string>> alternatives;
};

Answer answer(Engine& engine, const ModelTable& table, const std::vector<std::string>& texts,
              const Asked& asked) {
  Answer result{texts, std::vector<std::vector<std::string>>(texts.size())};
  if (asked.source == asked.target || std::ranges::none_of(texts, has_letters)) return result;
  const auto model = table.find(asked.source, asked.target);
  if (model == nullptr)
    throw HttpRefusal(400, fmt::format("{} is not supported as a target of {}", asked.target, asked.source));
  const int64_t n_best = std::min(asked.alternatives + 1, model->most_outputs());
  const auto translated = engine.translate(model, {n_best, false}, texts, asked.format);
  for (size_t i = 0; i < texts.size(); ++i) {
    result.texts[i] = translated[i].text(*model, 0);
    auto& others = result.alternatives[i];
    for (int64_t rank = 1; rank < n_best; ++rank) {
      std::string other = translated[i].text(*model, static_cast<size_t>(rank));
      if (other != result.texts[i] && std::ranges::find(others, other) == others.end())
        others.push_back(std::move(other));
    }
  }
  return result;
}

HttpResponse translate(Engine& engine, const HttpRequest& request) {
  const RequestFields fields(request);
  const auto texts = fields.texts("q");
  const std::string format = fields.text("format", "text");
  if (format != "text" && format != "html")
    throw HttpRefusal(400, fmt::format("{} format is not supported", format));
  const Asked asked{fields.required("source"),
                    fields.required("target"),
                    fields.integer("alternatives", 0, 0, kMostAlternatives),
                    {format == "html"}};
  const auto table = engine.table();
  require_languages(*table, asked);

  const size_t count = texts.all.size();
  std::vector<std::string> translations(count);
  std::vector<std::vector<std::string>> alternatives(count);
  json languages = json::array();
  std::map<std::string, std::vector<size_t>> numbers;  // of the texts of each source language
  for (size_t i = 0; i < count; ++i) {
    const Detected language =
        asked.source == "auto" ? detected(texts.all[i], *table) : Detected{asked.source};
    languages.push_back(json_of(language));
    numbers[language.language].push_back(i);
  }
  for (const auto& [language, group] : numbers) {
    std::vector<std::string> same;
    for (const size_t i : group) same.push_back(texts.all[i]);
    Answer found = answer(engine, *table, same, {language, asked.target, asked.alternatives, asked.format});
    for (size_t i = 0; i < group.size(); ++i) {
      translations[group[i]] = std::move(found.texts[i]);
      alternatives[group[i]] = std::move(found.alternatives[i]);
    }
  }
  const auto shaped = [&](const json& list) { return texts.array ? list : list.at(0); };
  json body{{"translatedText", shaped(translations)}};
  if (asked.source == "auto") body["detectedLanguage"] = shaped(languages);
  if (asked.alternatives > 0) body["alternatives"] = shaped(alternatives);
  return json_response(body);
}

HttpResponse detect(Engine& engine, const HttpRequest& request) {
  const auto found = detect_language(RequestFields(request).required("q"), engine.table()->sources());
  json list = json::array();
  for (const Detected& language : found)
    if (language.confidence > 0) list.push_back(json_of(language));
  if (list.empty()) list.push_back({{"confidence", 0.0}, {"language", "en"}});
  return json_response(list);
}

HttpResponse languages(Engine& engine, const HttpRequest& /*request*/) {
  json list = json::array();
  for (const Language& language : engine.table()->languages())
    list.push_back({{"code", language.code}, {"name", language.name}, {"targets", language.targets}});
  return json_response(list);
}

HttpResponse health(Engine& /*engine*/, const HttpRequest& /*request*/) {
  return json_response({{"status", "ok"}});
}

HttpResponse frontend_settings(Engine& engine, const HttpRequest& /*request*/) {
  const auto table = engine.table();
  const auto all = table->languages();
  const auto source = std::ranges::find_if(all, [](const Language& each) { return !each.targets.empty(); });
  json from = nullptr, to = nullptr;
  if (source != all.end()) {
    const auto target = std::ranges::find(all, source->targets[0], &Language::code);
    from = {{"code", source->code}, {"name", source->name}};
    to = {{"code", target->code}, {"name", target->name}};
  }
  return json_response({{"charLimit", engine.options().characters},
                        {"frontendTimeout", 500},
                        {"apiKeys", engine.options().keys_needed},
                        {"keyRequired", engine.options().keys_needed},
                        {"suggestions", false},
                        {"filesTranslation", false},
                        {"supportedFilesFormat", json::array()},
                        {"language", {{"source", from}, {"target", to}}}});
}

HttpResponse spec(Engine& /*engine*/, const HttpRequest& /*request*/) {
  return {.body = std::string(openapi())};
}

constexpr Route kRoutes[] = {
    {"POST", "/translate", false, translate},
    {"POST", "/detect", false, detect},
    {"GET", "/languages", true, languages},
    {"GET", "/health", true, health},
    {"GET", "/frontend/settings", true, frontend_settings},
    {"GET", "/spec", true, spec},
};

}  // namespace

std::span<const Route> libretranslate_routes() { return kRoutes; }

}  // namespace attune::serve
