// The fields of a request, from JSON or from either kind of form.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/http_message.h"

namespace attune::serve {

// Each getter throws an HttpRefusal with 400 for a value of the wrong kind.
class RequestFields {
 public:
  // From the body and, for a form, also from the query. An HttpRefusal if it is neither or not UTF-8.
  explicit RequestFields(const HttpRequest& request);

  bool has(const std::string& name) const { return values_.contains(name) && !values_[name].is_null(); }
  const nlohmann::json& value(const std::string& name) const;  // null if there is none
  std::vector<std::string> names() const;
  // Refuses every other field by its name, so that a misspelt one is noticed; api_key is always allowed.
  void require_only(std::initializer_list<std::string_view> known) const;
  // A field that must be present.
  std::string required(const std::string& name) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
  int64_t integer(const std::string& name, int64_t otherwise, int64_t least, int64_t most) const;
  double number(const std::string& name, double otherwise, double least, double most) const;
  bool flag(const std::string& name) const;

  struct Texts {
    std::vector<std::string> all;
    bool array = false;  // as opposed to one text
  };
  Texts texts(const std::string& name) const;

 private:
  nlohmann::json values_ = nlohmann::json::object();
};

}  // namespace attune::serve
