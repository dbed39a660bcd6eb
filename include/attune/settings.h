// Settings: keys of a configuration and their values, as in a YAML file or on the command line. Keys may be
// written with `-` or `_`.
//
//   attune::Settings settings = {{"type", "gpt"}, {"layers", 4}, {"train_sets", {"poems.txt"}}};
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace attune {

// One value, or a list of texts.
class Setting {
 public:
  using Value = std::variant<bool, int64_t, double, std::string, std::vector<std::string>>;

  // NOLINTBEGIN(google-explicit-constructor): values are written as they are
  Setting(bool value) : value_(value) {}
  Setting(int value) : value_(int64_t{value}) {}
  Setting(int64_t value) : value_(value) {}
  Setting(double value) : value_(value) {}
  Setting(const char* text) : value_(std::string(text)) {}
  Setting(std::string text) : value_(std::move(text)) {}
  Setting(std::vector<std::string> list) : value_(std::move(list)) {}
  Setting(std::initializer_list<std::string> list) : value_(std::vector<std::string>(list)) {}
  // NOLINTEND(google-explicit-constructor)

  const Value& value() const { return value_; }

 private:
  Value value_;
};

using Settings = std::map<std::string, Setting, std::less<>>;

}  // namespace attune
