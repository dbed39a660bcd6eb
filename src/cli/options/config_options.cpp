#include "cli/options/config_options.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

namespace attune::cli {
namespace {

std::string flag_of(std::string_view key) {
  std::string flag(key);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

// A validator that accepts everything: its name keeps the words of a choice, which are refused later, with
// all that is known then.
CLI::Validator words_kept(const std::vector<std::string>& words) {
  CLI::Validator kept([](std::string&) { return std::string(); }, "",
                      fmt::format("{}", fmt::join(words, " ")));
  return kept;
}

}  // namespace

std::vector<std::string> choices_of(CLI::Option& option) {
  std::vector<std::string> words;
  try {
    std::istringstream names(option.get_validator(0)->get_name());
    for (std::string word; names >> word;) words.push_back(word);
  } catch (const CLI::OptionNotFound&) {  // it has no validator
  }
  return words;
}

void take_list(CLI::Option& option, int fewest) {
  constexpr int kMost = 1 << 20;
  option.expected(fewest, kMost)->allow_extra_args(false);
}

class ConfigOptions::Adder final : public Fields {
 public:
  Adder(ConfigOptions& options, const Group& group, const std::map<std::string, char>& shorts,
        const std::set<std::string>& without)
      : options_(options), group_(group), shorts_(shorts), without_(without) {}

 private:
  void visit(std::string_view name, const Value& value, std::string_view help) override {
    const std::string key(name);
    if (without_.contains(key)) return;
    const std::string value_now = current(name, value, help);
    if (const auto known = options_.defaults_.find(key); known != options_.defaults_.end()) {
      if (known->second != value_now) add_default(key, value_now);
      return;
    }
    options_.defaults_[key] = value_now;
    const bool list = std::holds_alternative<const std::vector<std::string>*>(value);
    const bool truth = std::holds_alternative<const bool*>(value);
    options_.lists_[key] = list;
    const auto letter = shorts_.find(key);
    const std::string flags =
        (letter == shorts_.end() ? "" : fmt::format("-{},", letter->second)) + "--" + flag_of(key);
    CLI::Option* option = options_.app_.add_option(flags, options_.values_[key], text(value, help));
    option->group(group_.title)->type_name(truth ? "BOOL=" + value_now : list ? "LIST" : "VALUE");
    if (const auto* choice = std::get_if<Choice>(&value)) option->check(words_kept(choice->words));
    option->default_str(truth ? "" : value_now);  // CLI11 would take it for the value of a bare option
    if (!list) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    if (list)
      take_list(*option);
    else
      option->expected(truth ? 0 : 1, 1)->allow_extra_args(false);
  }

  void add_default(const std::string& key, const std::string& value) const {
    CLI::Option* option = options_.app_.get_option("--" + flag_of(key));
    option->description(fmt::format("{}; {}: {}", option->get_description(), group_.owner, value));
  }

  static std::string text(const Value& value, std::string_view help) {
    std::string all(help);
    if (const auto* choice = std::get_if<Choice>(&value))
      for (size_t i = 0; i < choice->words.size(); ++i) all += (i == 0 ? ": " : ", ") + choice->words[i];
    return all;
  }

  static std::string current(std::string_view name, const Value& value, std::string_view help) {
    if (const auto* choice = std::get_if<Choice>(&value)) return choice->word;
    const Entries entries = entries_of([&](Fields& f) {
      std::visit(
          [&](const auto& member) {
            if constexpr (std::is_pointer_v<std::decay_t<decltype(member)>>) f(name, *member, help);
          },
          value);
    });
    std::string joined;
    for (const std::string& one : entries[0].values) joined += (joined.empty() ? "" : " ") + one;
    return joined;
  }

  ConfigOptions& options_;
  const Group& group_;
  const std::map<std::string, char>& shorts_;
  const std::set<std::string>& without_;
};

void ConfigOptions::add(const FieldList& fields, const Group& group,
                        const std::map<std::string, char>& shorts, const std::set<std::string>& without) {
  Adder adder(*this, group, shorts, without);
  fields(adder);
}

Entries ConfigOptions::entries() const {
  Entries all;
  for (const auto& [key, values] : values_) {
    const CLI::Option* option = app_.get_option("--" + flag_of(key));
    if (option->count() == 0) continue;
    const bool bare = option->get_expected_min() == 0 && values == std::vector<std::string>{""};
    all.push_back(
        {key, bare ? std::vector<std::string>{"true"} : values, lists_.at(key), "--" + flag_of(key)});
  }
  return all;
}

}  // namespace attune::cli
