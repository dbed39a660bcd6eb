// A configuration struct lists its fields once, in a function `void fields(Fields& f)` that calls f(name,
// member, help) for each. Readers (YAML, JSON, command line) and writers (JSON, help texts) are visitors of
// that list, so a default is given in only one place: the member's initialiser.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace attune {

// A member that takes one of a few words.
struct Choice {
  std::vector<std::string> words;
  std::function<std::string()> get;
  std::function<void(const std::string&)> set;
};

using FieldValue = std::variant<bool*, int64_t*, double*, std::string*, std::vector<std::string>*, Choice>;

// An enumeration E can be a field if enum_names(E{}) lists its words in the order of its values: //
// std::span<const char* const>.
template <class E>
Choice choice_of(E& member) {
  Choice choice;
  const auto list = enum_names(E{});
  for (const char* word : list) choice.words.emplace_back(word);
  choice.get = [&member, all = choice.words] { return all[static_cast<size_t>(member)]; };
  choice.set = [&member, all = choice.words](const std::string& word) {
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i] == word) member = static_cast<E>(i);
  };
  return choice;
}

class Fields {
 public:
  virtual ~Fields() = default;

  template <class T>
  void operator()(std::string_view name, T& member, std::string_view help) {
    if constexpr (std::is_enum_v<T>)
      visit(name, choice_of(member), help);
    else
      visit(name, &member, help);
  }

 protected:
  virtual void visit(std::string_view name, const FieldValue& value, std::string_view help) = 0;
};

}  // namespace attune
