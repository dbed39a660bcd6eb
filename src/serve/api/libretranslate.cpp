// LibreTranslate's HTTP interface, so that its clients work unchanged.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/ascii.h"
#include "serve/api/language_codes.h"
#include "serve/api/openapi.h"
#include "serve/api/request_fields.h"
#include "serve/api/routes.h"
#include "serve/engine/detect_language.h"

namespace attune::serve {
namespace {

using nlohmann::json;

constexpr int64_t kMostAlternatives = 16;

// The language of a text if the client does not say.
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

std::string language(const ModelTable& table, const std::string& asked) {
  const auto code = served_language(table, asked);
  if (!code) throw HttpRefusal(400, fmt::format("{} is not supported", asked));
  return *code;
}

std::string named(const ModelTable& table, const std::string& code) {
  const auto all = table.languages();
  return fmt::format("{} ({})", std::ranges::find(all, code, &Language::code)->name, code);
}

// LibreTranslate treats negative numbers as 0.
int64_t alternatives_of(const RequestFields& fields) {
  constexpr int64_t any = int64_t{1} << 40;
  const int64_t wanted = fields.integer("alternatives", 0, -any, any);
  if (wanted > kMostAlternatives)
    throw HttpRefusal(
        400, fmt::format("Invalid request: alternatives parameter must be <= {}", kMostAlternatives));
  return std::max<int64_t>(wanted, 0);
}

// The answer for the texts of one source language.
struct Answer {
  std::vector<std::string> texts;
  std::vector<std::vector<std::string>> alternatives;
};

Answer answer(Engine& engine, const ModelTable& table, const std::vector<std::string>& texts,
              const Asked& asked) {
  Answer result{texts, std::vector<std::vector<std::string>>(texts.size())};
  const bool same = asked.source == asked.target && table.find(asked.source, asked.target) == nullptr;
  if (same || std::ranges::none_of(texts, has_letters)) return result;
  const auto models = models_between(table, asked.source, asked.target);
  if (models.empty())
    throw HttpRefusal(400, fmt::format("{} is not available as a target language from {}",
                                       named(table, asked.target), named(table, asked.source)));
  std::vector<std::string> read = texts;
  if (models.size() == 2) {
    const auto between = engine.translate(models[0], {}, texts, asked.format);
    for (size_t i = 0; i < texts.size(); ++i) read[i] = between[i].text(*models[0], 0);
  }
  const auto& model = models.back();
  const int64_t n_best = std::min(asked.alternatives + 1, model->most_outputs());
  const auto translated = engine.translate(model, {n_best, false}, read, asked.format);
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
  const auto table = engine.table();
  Asked asked{fields.required("source"), fields.required("target"), alternatives_of(fields), {}};
  engine.require_length(texts.all);
  if (!same_but_for_case(asked.source, "auto")) asked.source = language(*table, asked.source);
  asked.target = language(*table, asked.target);
  const std::string format = fields.text("format", "");
  if (!format.empty() && format != "text" && format != "html")
    throw HttpRefusal(400, fmt::format("{} format is not supported", format));
  asked.format.html = format == "html";
  const bool automatic = same_but_for_case(asked.source, "auto");

  const size_t count = texts.all.size();
  std::vector<std::string> translations(count);
  std::vector<std::vector<std::string>> alternatives(count);
  json languages = json::array();
  std::map<std::string, std::vector<size_t>> numbers;  // of the texts of each source language
  for (size_t i = 0; i < count; ++i) {
    const Detected language = automatic ? detected(texts.all[i], *table) : Detected{asked.source};
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
  if (automatic) body["detectedLanguage"] = shaped(languages);
  if (asked.alternatives > 0) body["alternatives"] = shaped(alternatives);
  return json_response(body);
}

// For a list: the languages of all its texts with their mean confidence, the one with most text first.
HttpResponse detect(Engine& engine, const HttpRequest& request) {
  const auto texts = RequestFields(request).texts("q").all;
  engine.require_length(texts);
  struct Sum {
    double confidence = 0, texts = 0, weight = 0;
  };
  std::map<std::string, Sum> sums;
  for (const std::string& text : texts)
    for (const Detected& language : detect_language(text, engine.table()->sources())) {
      if (language.confidence == 0) continue;
      Sum& sum = sums[language.language];
      sum.confidence += language.confidence;
      sum.texts += 1;
      sum.weight += language.confidence * static_cast<double>(text.size());
    }
  std::vector<std::pair<double, Detected>> found;
  for (const auto& [language, sum] : sums)
    found.push_back({sum.weight, {language, std::round(10 * sum.confidence / sum.texts) / 10}});
  std::ranges::stable_sort(found, std::greater(), [](const auto& each) { return each.first; });
  json list = json::array();
  for (const auto& [weight, language] : found) list.push_back(json_of(language));
  if (list.empty()) list.push_back({{"confidence", 0.0}, {"language", "en"}});
  return json_response(list);
}

HttpResponse suggest(Engine& /*engine*/, const HttpRequest& /*request*/) {
  throw HttpRefusal(403, "Suggestions are disabled on this server.");
}

HttpResponse translate_file(Engine& /*engine*/, const HttpRequest& /*request*/) {
  throw HttpRefusal(403, "Translation of files is disabled on this server.");
}

HttpResponse languages(Engine& engine, const HttpRequest& /*request*/) {
  json list = json::array();
  for (const Language& language : reachable_languages(*engine.table()))
    list.push_back({{"code", language.code}, {"name", language.name}, {"targets", language.targets}});
  return json_response(list);
}

HttpResponse health(Engine& /*engine*/, const HttpRequest& /*request*/) {
  return json_response({{"status", "ok"}});
}

HttpResponse frontend_settings(Engine& engine, const HttpRequest& /*request*/) {
  const auto table = engine.table();
  const auto all = reachable_languages(*table);
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
    {"POST", "/suggest", false, suggest},
    {"POST", "/translate_file", false, translate_file},
    {"GET", "/languages", true, languages},
    {"GET", "/health", true, health},
    {"GET", "/frontend/settings", true, frontend_settings},
    {"GET", "/spec", true, spec},
};

}  // namespace

std::span<const Route> libretranslate_routes() { return kRoutes; }

}  // namespace attune::serve
