// The language codes that clients send: in upper or lower case, and with LibreTranslate's aliases.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serve/engine/served_model.h"

namespace attune::serve {

// The code by which a language is served; nothing if it is not.
std::optional<std::string> served_language(const ModelTable& table, const std::string& asked);

// The models that lead from one language to another: one, or two with a language between them (English if
// possible, otherwise the one whose code sorts first); none if there is no way.
std::vector<ModelTable::Model> models_between(const ModelTable& table, const std::string& source,
                                              const std::string& target);

// All languages, with those that can be reached from each.
std::vector<Language> reachable_languages(const ModelTable& table);

}  // namespace attune::serve
