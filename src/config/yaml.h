// YAML (of which JSON is a part) to Entries and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/entries.h"

namespace attune {

// A mapping of keys to scalars or lists of scalars. `name` stands in messages ("model.yml:3: ...").
Entries read_yaml(std::string_view text, std::string_view name);
std::string write_yaml(const Entries& entries);

// A document that has, beside such keys, some whose value is a mapping of that kind or a list of them.
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
