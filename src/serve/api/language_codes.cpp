#include "serve/api/language_codes.h"

#include <algorithm>

#include "base/ascii.h"

namespace attune::serve {
namespace {

// The names of one language.
constexpr std::string_view kAliases[][2] = {{"pb", "pt-br"}, {"zh", "zh-hans"}, {"zt", "zh-hant"}};

bool same_language(std::string_view a, std::string_view b) {
  return same_but_for_case(a, b) || std::ranges::any_of(kAliases, [&](const auto& names) {
           const auto named = [&](std::string_view code) {
             return std::ranges::any_of(names, [&](auto name) { return same_but_for_case(name, code); });
           };
           return named(a) && named(b);
         });
}

}  // namespace

std::optional<std::string> served_language(const ModelTable& table, const std::string& asked) {
  const auto languages = table.languages();
  const auto exact = std::ranges::find_if(
      languages, [&](const Language& each) { return same_but_for_case(each.code, asked); });
  if (exact != languages.end()) return exact->code;
  const auto alias =
      std::ranges::find_if(languages, [&](const Language& each) { return same_language(each.code, asked); });
  return alias == languages.end() ? std::nullopt : std::optional(alias->code);
}

std::vector<ModelTable::Model> models_between(const ModelTable& table, const std::string& source,
                                              const std::string& target) {
  if (auto direct = table.find(source, target)) return {std::move(direct)};
  std::vector<std::string> between{"en"};
  for (const Language& language : table.languages()) between.push_back(language.code);
  for (const std::string& code : between) {
    auto first = table.find(source, code), second = table.find(code, target);
    if (first != nullptr && second != nullptr) return {std::move(first), std::move(second)};
  }
  return {};
}

std::vector<Language> reachable_languages(const ModelTable& table) {
  std::vector<Language> all = table.languages();
  for (Language& from : all) {
    from.targets.clear();
    for (const Language& to : all)
      if (to.code != from.code && !models_between(table, from.code, to.code).empty())
        from.targets.push_back(to.code);
  }
  return all;
}

}  // namespace attune::serve
