// From YAML (which includes JSON) to Entries and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/entries.h"

namespace attune {

// A mapping of keys to scalars or lists of scalars. `name` appears in messages ("model.yml:3: ...").
Entries read_yaml(std::string_view text, std::string_view name);
std::string write_yaml(const Entries& entries);

// A document in which the values of some keys are such mappings, or lists of them.
struct YamlGroup {
  std::string key;
  std::string where;           // of the key
  bool list = false;           // else it has one item
  std::vector<Entries> items;  // none of them is empty
};
struct YamlDocument {
  Entries entries;
  std::vector<YamlGroup> groups;
};
YamlDocument read_yaml_document(std::string_view text, std::string_view name);

}  // namespace attune
