// Options of the command line from lists of configuration fields: `--mini-batch-words 3000` for the key
// mini_batch_words.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/entries.h"

namespace CLI {
class App;
}

namespace attune::cli {

class ConfigOptions {
 public:
  explicit ConfigOptions(CLI::App& app) : app_(app) {}
  ConfigOptions(const ConfigOptions&) = delete;
  ConfigOptions& operator=(const ConfigOptions&) = delete;

  // Fields that an earlier list had are not added again. `shorts` gives some keys a letter;
  // keys in `without` get no option.
  void add(const FieldList& fields, const std::string& group, const std::map<std::string, char>& shorts = {},
           const std::set<std::string>& without = {});

  // Those that were given.
  Entries entries() const;

 private:
  class Adder;

  CLI::App& app_;
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, bool> lists_;
};

}  // namespace attune::cli
