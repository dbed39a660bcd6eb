#include "serve/api/request_fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/nearest.h"
#include "serve/http/form.h"
#include "serve/http/multipart.h"
#include "text/utf8.h"

namespace attune::serve {
namespace {

using nlohmann::json;

constexpr int kDeepest = 16;

[[noreturn]] void refuse(const std::string& why) { throw HttpRefusal(400, "Invalid request: " + why); }

json parse_json(const std::string& text) {
  try {
    json values = json::parse(text, [](int depth, json::parse_event_t, json&) {
      if (depth > kDeepest) refuse("the JSON is nested too deeply");
      return true;
    });
    if (!values.is_object()) refuse("the JSON should be an object");
    return values;
  } catch (const json::exception&) {
    refuse("the body is not JSON");
  }
}

// A field that occurs several times is a list.
void add_form(json& values, const std::optional<FormFields>& fields) {
  if (!fields) refuse("the form is not well encoded");
  for (const auto& [name, value] : *fields) {
    if (find_invalid_utf8(name) || find_invalid_utf8(value)) refuse("the form is not UTF-8");
    json& field = values[name];
    if (field.is_string()) field = json::array({field});
    if (field.is_array()) field.push_back(value);
    if (field.is_null()) field = value;
  }
}

const std::string& checked(const std::string& text, const std::string& name) {
  if (text.find('\0') != std::string::npos) refuse(fmt::format("{} has a NUL character", name));
  return text;
}

}  // namespace

RequestFields::RequestFields(const HttpRequest& request) {
  const std::string_view header = request.header("content-type");
  const std::string type = media_type(header);
  if (type == "application/json" || (type.starts_with("application/") && type.ends_with("+json"))) {
    values_ = parse_json(request.body);
    return;
  }
  add_form(values_, parse_form(request.query));
  if (type == "multipart/form-data")
    add_form(values_, parse_multipart(header, request.body));
  else if (type == "application/x-www-form-urlencoded" || request.body.empty())
    add_form(values_, parse_form(request.body));
  else
    throw HttpRefusal(
        415,
        "Invalid request: send application/json, application/x-www-form-urlencoded or multipart/form-data");
}

const json& RequestFields::value(const std::string& name) const {
  static const json none;
  const auto found = values_.find(name);
  return found == values_.end() ? none : *found;
}

std::vector<std::string> RequestFields::names() const {
  std::vector<std::string> all;
  for (const auto& [name, value] : values_.items()) all.push_back(name);
  return all;
}

void RequestFields::require_only(std::initializer_list<std::string_view> known) const {
  std::vector<std::string> allowed(known.begin(), known.end());
  allowed.emplace_back("api_key");
  for (const std::string& name : names())
    if (std::ranges::find(allowed, name) == allowed.end())
      refuse(fmt::format("unknown field '{}'{}", name, did_you_mean(name, allowed)));
}

std::string RequestFields::required(const std::string& name) const {
  const auto found = values_.find(name);
  const bool there = found != values_.end() && !found->is_null();
  if (!there || (found->is_string() && found->get_ref<const std::string&>().empty()))
    refuse(fmt::format("missing {} parameter", name));
  return text(name, "");
}

std::string RequestFields::text(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->is_null()) return otherwise;
  if (!found->is_string()) refuse(fmt::format("{} should be a text", name));
  return checked(found->get_ref<const std::string&>(), name);
}

int64_t RequestFields::integer(const std::string& name, int64_t otherwise, int64_t least,
                               int64_t most) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->is_null()) return otherwise;
  int64_t value = least - 1;
  if (found->is_number_unsigned())
    value = static_cast<int64_t>(std::min<uint64_t>(found->get<uint64_t>(), INT64_MAX));
  else if (found->is_number_integer())
    value = found->get<int64_t>();
  else if (found->is_number_float() && std::abs(found->get<double>()) < 1e15 &&
           std::trunc(found->get<double>()) == found->get<double>())
    value = static_cast<int64_t>(found->get<double>());
  else if (found->is_string()) {
    const std::string& digits = found->get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) value = least - 1;
  }
  if (value < least || value > most)
    refuse(fmt::format("{} should be a whole number from {} to {}", name, least, most));
  return value;
}

double RequestFields::number(const std::string& name, double otherwise, double least, double most) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->is_null()) return otherwise;
  double value = NAN;
  if (found->is_number()) value = found->get<double>();
  if (found->is_string()) {
    const std::string& digits = found->get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) value = NAN;
  }
  if (!(value >= least && value <= most))
    refuse(fmt::format("{} should be a number from {} to {}", name, least, most));
  return value;
}

bool RequestFields::flag(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->is_null()) return false;
  if (found->is_boolean()) return found->get<bool>();
  if (*found == "true" || *found == "1") return true;
  if (*found == "false" || *found == "0") return false;
  refuse(fmt::format("{} should be true or false", name));
}

RequestFields::Texts RequestFields::texts(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end() || !found->is_array()) return {{required(name)}, false};
  Texts result{{}, true};
  for (const json& each : *found) {
    if (!each.is_string()) refuse(fmt::format("{} should be a text or a list of texts", name));
    result.all.push_back(checked(each.get_ref<const std::string&>(), name));
  }
  if (result.all.empty()) refuse(fmt::format("missing {} parameter", name));
  return result;
}

}  // namespace attune::serve
