#include "text/tokenizer/json_fields.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "attune/error.h"

namespace attune {

using Json = nlohmann::json;

namespace {

const Json& no_fields() {
  static const Json none = Json::object();
  return none;
}

}  // namespace

Json parse_json(std::string_view content, const std::string& name) {
  try {
    return Json::parse(content);
  } catch (const Json::parse_error& error) {
    throw UsageError(fmt::format("{}: byte {} is not JSON as it should be", name, error.byte));
  }
}

JsonFields::JsonFields(const Json& object, std::string where) : object_(&object), where_(std::move(where)) {
  if (!object.is_object()) throw UsageError(fmt::format("{}: this should be a JSON object", where_));
}

void JsonFields::refuse(std::string_view key, std::string_view why) const {
  throw UsageError(fmt::format("{}: {}: {}", where_, key, why));
}

const Json* JsonFields::find(std::string_view key) const {
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

const Json& JsonFields::required(std::string_view key) const {
  const Json* found = find(key);
  if (found == nullptr) refuse(key, "it is missing");
  return *found;
}

std::string JsonFields::text(std::string_view key, std::string otherwise) const {
  const Json* found = find(key);
  if (found == nullptr) return otherwise;
  if (!found->is_string()) refuse(key, "it should be a text");
  return found->get<std::string>();
}

bool JsonFields::flag(std::string_view key, bool otherwise) const {
  const Json* found = find(key);
  if (found == nullptr) return otherwise;
  if (!found->is_boolean()) refuse(key, "it should be true or false");
  return found->get<bool>();
}

int64_t JsonFields::number(std::string_view key, int64_t otherwise) const {
  return has(key) ? number(key) : otherwise;
}

int64_t JsonFields::number(std::string_view key) const {
  const Json& found = required(key);
  if (!found.is_number_integer() || found.get<int64_t>() < 0 || found > INT64_MAX)
    refuse(key, "it should be a whole number that is not negative");
  return found.get<int64_t>();
}

double JsonFields::real(std::string_view key, double otherwise) const {
  const Json* found = find(key);
  if (found == nullptr) return otherwise;
  if (!found->is_number()) refuse(key, "it should be a number");
  return found->get<double>();
}

JsonFields JsonFields::object(std::string_view key) const {
  const Json* found = find(key);
  return {found == nullptr ? no_fields() : *found, fmt::format("{}: {}", where_, key)};
}

std::vector<JsonFields> JsonFields::objects(std::string_view key) const {
  std::vector<JsonFields> all;
  const Json* found = find(key);
  if (found == nullptr) return all;
  if (!found->is_array()) refuse(key, "it should be a list");
  for (size_t i = 0; i < found->size(); ++i)
    all.emplace_back((*found)[i], fmt::format("{}: {}[{}]", where_, key, i));
  return all;
}

}  // namespace attune
