#include "cli/manual/described_verb.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "cli/options/config_options.h"

namespace attune::cli {
namespace {

// CLI11 describes IsMember as "TEXT:{f32,int8}".
std::vector<std::string> members(const std::string& type) {
  const size_t begin = type.find(":{"), end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  std::vector<std::string> words;
  std::istringstream list(type.substr(begin + 2, end - begin - 2));
  for (std::string word; std::getline(list, word, ',');) words.push_back(word);
  return words;
}

DescribedOption described(CLI::Option& option) {
  DescribedOption one;
  one.positional = option.get_positional() && option.get_lnames().empty() && option.get_snames().empty();
  for (const std::string& name : option.get_snames()) one.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) one.names.push_back("--" + name);
  if (one.positional) one.names.push_back(option.get_name(true));
  const std::string type = option.get_type_name();
  one.choices = choices_of(option);
  if (one.choices.empty()) one.choices = members(type);
  one.list = option.get_expected_max() > 1;
  if (option.get_expected_max() > 0 && option.get_type_size_max() > 0)
    one.value = type.starts_with("BOOL") ? "[BOOL]" : one.list ? "LIST" : "VALUE";
  one.help = option.get_description();
  one.default_text = type.starts_with("BOOL=") ? type.substr(5) : option.get_default_str();
  if (one.default_text == "[]") one.default_text.clear();  // an empty list
  one.group = option.get_group();
  one.required = option.get_required();
  return one;
}

}  // namespace

DescribedVerb described(const Verb& verb) {
  CLI::App app;
  app.option_defaults()->always_capture_default();
  const Action unused = verb.set_up(app);
  DescribedVerb all{.name = verb.name, .help = verb.help, .footer = app.get_footer(), .options = {}};
  for (CLI::Option* option : app.get_options()) all.options.push_back(described(*option));
  std::stable_partition(all.options.begin(), all.options.end(),
                        [](const DescribedOption& one) { return one.positional; });
  return all;
}

}  // namespace attune::cli
