// The values of a JSON object from elsewhere, each checked for its type. What is missing or null has the
// value that the caller names; another type is a UsageError.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

// Checked for its form and for UTF-8; a UsageError names the byte.
nlohmann::json parse_json(std::string_view content, const std::string& name);

class JsonFields {
 public:
  // `where` appears in messages: "config.json". The object must outlive this.
  JsonFields(const nlohmann::json& object, std::string where);

  const std::string& where() const { return where_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const nlohmann::json* find(std::string_view key) const;  // null: missing or null
  const nlohmann::json& required(std::string_view key) const;

  std::string text(std::string_view key, std::string otherwise) const;
  bool flag(std::string_view key, bool otherwise) const;
  int64_t number(std::string_view key, int64_t otherwise) const;
  int64_t number(std::string_view key) const;  // required
  double real(std::string_view key, double otherwise) const;
  JsonFields object(std::string_view key) const;  // without fields if it is missing
  std::vector<JsonFields> objects(std::string_view key) const;

  [[noreturn]] void refuse(std::string_view key, std::string_view why) const;

 private:
  const nlohmann::json* object_;
  std::string where_;
};

}  // namespace attune
