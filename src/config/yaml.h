// YAML (of which JSON is a part) to Entries and back.
#pragma once

#include <string>
#include <string_view>

#include "config/entries.h"

namespace attune {

// A mapping of keys to scalars or lists of scalars. `name` stands in messages ("model.yml:3: ...").
Entries read_yaml(std::string_view text, std::string_view name);
std::string write_yaml(const Entries& entries);

}  // namespace attune
