#include "config/yaml.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include "attune/error.h"

namespace attune {
namespace {

std::string place(std::string_view name, const YAML::Mark& mark) {
  return mark.is_null() ? std::string(name) : fmt::format("{}:{}", name, mark.line + 1);
}

[[noreturn]] void refuse(const std::string& where, std::string_view what) {
  throw UsageError(fmt::format("{}: {}", where, what));
}

Entry entry_of(const YAML::Node& key, const YAML::Node& value, std::string_view name) {
  Entry entry;
  entry.where = place(name, key.Mark());
  if (!key.IsScalar()) refuse(entry.where, "a key should be a word");
  entry.key = canonical_key(key.Scalar());
  if (value.IsScalar()) {
    entry.values = {value.Scalar()};
  } else if (value.IsSequence()) {
    entry.list = true;
    for (const auto& item : value) {
      if (!item.IsScalar())
        refuse(entry.where, fmt::format("'{}' should be a list of plain values", entry.key));
      entry.values.push_back(item.Scalar());
    }
  } else {
    refuse(entry.where, fmt::format("'{}' should be a value or a list of values", entry.key));
  }
  return entry;
}

Entries entries_of_map(const YAML::Node& map, std::string_view name) {
  Entries entries;
  for (const auto& pair : map) entries.push_back(entry_of(pair.first, pair.second, name));
  return entries;
}

// Null, or a mapping.
YAML::Node load(std::string_view text, std::string_view name) {
  YAML::Node root;
  try {
    root = YAML::Load(std::string(text));
  } catch (const YAML::Exception& error) {
    refuse(place(name, error.mark), "this is not YAML: " + error.msg);
  }
  if (!root.IsNull() && !root.IsMap())
    refuse(place(name, root.Mark()), "there should be keys with values (key: value)");
  return root;
}

bool is_group(const YAML::Node& value) {
  return value.IsMap() || (value.IsSequence() && value.size() > 0 && value[0].IsMap());
}

YamlGroup group_of(const YAML::Node& key, const YAML::Node& value, std::string_view name) {
  YamlGroup group{canonical_key(key.Scalar()), place(name, key.Mark()), value.IsSequence(), {}};
  const auto add = [&](const YAML::Node& item) {
    if (!item.IsMap() || item.size() == 0)
      refuse(place(name, item.Mark()), fmt::format("'{}' should have keys with values here", group.key));
    group.items.push_back(entries_of_map(item, name));
  };
  if (group.list)
    for (const auto& item : value) add(item);
  else
    add(value);
  return group;
}

}  // namespace

Entries read_yaml(std::string_view text, std::string_view name) {
  const YAML::Node root = load(text, name);
  return root.IsNull() ? Entries{} : entries_of_map(root, name);
}

YamlDocument read_yaml_document(std::string_view text, std::string_view name) {
  YamlDocument document;
  for (const auto& pair : load(text, name)) {
    if (pair.first.IsScalar() && is_group(pair.second))
      document.groups.push_back(group_of(pair.first, pair.second, name));
    else
      document.entries.push_back(entry_of(pair.first, pair.second, name));
  }
  return document;
}

std::string write_yaml(const Entries& entries) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  for (const Entry& entry : entries) {
    out << YAML::Key << entry.key << YAML::Value;
    if (entry.list)
      out << YAML::Flow << entry.values;
    else
      out << entry.values.front();
  }
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace attune
