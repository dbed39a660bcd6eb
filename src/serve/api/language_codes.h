// The codes that clients write for languages: in any case, and LibreTranslate's other names for some.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serve/engine/served_model.h"

namespace attune::serve {

// The code by which a language is served; nothing if it is not.
std::optional<std::string> served_language(const ModelTable& table, const std::string& asked);

// The models that lead from one language to another: one, or two with a language between them (English if it
// will do, otherwise the first by its code); none if there is no way.
std::vector<ModelTable::Model> models_between(const ModelTable& table, const std::string& source,
                                              const std::string& target);

// All languages, with what can be reached from each.
std::vector<Language> reachable_languages(const ModelTable& table);

}  // namespace attune::serve
