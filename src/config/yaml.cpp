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

}  // namespace

Entries read_yaml(std::string_view text, std::string_view name) {
  YAML::Node root;
  try {
    root = YAML::Load(std::string(text));
  } catch (const YAML::Exception& error) {
    refuse(place(name, error.mark), "this is no YAML: " + error.msg);
  }
  if (root.IsNull()) return {};
  if (!root.IsMap()) refuse(place(name, root.Mark()), "there should be keys with values (key: value)");
  Entries entries;
  for (const auto& pair : root) entries.push_back(entry_of(pair.first, pair.second, name));
  return entries;
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
