// Command line options from lists of configuration fields: `--mini-batch-words 3000` for the key
// mini_batch_words.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/entries.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace attune::cli {

// Lets an option take any number of values, at least `fewest`. Otherwise CLI11 would take the brackets of
// `[MASK]` for those of a list.
void take_list(CLI::Option& option, int fewest = 1);

// The words of an option that takes one of a few, as its field lists them; empty for others.
std::vector<std::string> choices_of(CLI::Option& option);

class ConfigOptions {
 public:
  explicit ConfigOptions(CLI::App& app) : app_(app) {}
  ConfigOptions(const ConfigOptions&) = delete;
  ConfigOptions& operator=(const ConfigOptions&) = delete;

  // Fields of an earlier list are not added again; if their default differs, the help says so with the name
  // of this list, `owner`. `shorts` gives some keys a letter; keys in `without` get no option.
  struct Group {
    std::string title, owner = {};
  };
  void add(const FieldList& fields, const Group& group, const std::map<std::string, char>& shorts = {},
           const std::set<std::string>& without = {});

  // The options that were given.
  Entries entries() const;

 private:
  class Adder;

  CLI::App& app_;
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, bool> lists_;
  std::map<std::string, std::string> defaults_;
};

}  // namespace attune::cli
