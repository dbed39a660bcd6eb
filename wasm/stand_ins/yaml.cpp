// JSON is YAML: configurations that were written here are read by any attune; here only JSON is read.
#include "config/yaml.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "attune/error.h"

namespace attune {
namespace {

using nlohmann::json;

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

Entries read_yaml(std::string_view text, std::string_view name) {
  const json object = json::parse(text.substr(std::min(text.find('{'), text.size())), nullptr, false);
  if (!object.is_object())
    throw UsageError(fmt::format("{}: in the browser a configuration is a JSON object", name));
  Entries entries;
  for (const auto& [key, value] : object.items()) {
    Entry entry{
        .key = canonical_key(key), .values = {}, .list = value.is_array(), .where = std::string(name)};
    if (entry.list)
      for (const json& item : value) entry.values.push_back(text_of(item));
    else
      entry.values.push_back(text_of(value));
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string write_yaml(const Entries& entries) {
  json object = json::object();
  for (const Entry& entry : entries)
    object[entry.key] = entry.list ? json(entry.values) : json(entry.values.front());
  return object.dump(2) + "\n";
}

}  // namespace attune
