// The models of a verb: -m (several for an ensemble) and --weights.
#pragma once

#include <string>
#include <vector>

#include "folder/model_folder.h"

namespace CLI {
class App;
}

namespace attune::cli {

// --target-language, for verbs whose models translate.
void add_target_language(CLI::App& app, std::string& language);

class ModelOptions {
 public:
  explicit ModelOptions(CLI::App& app);
  void add_target_language(CLI::App& app) { attune::cli::add_target_language(app, target_language_); }
  ModelFolder open() const { return ModelFolder(paths_, weights_).towards(target_language_); }

 private:
  std::vector<std::string> paths_;
  std::vector<double> weights_;
  std::string target_language_;
};

}  // namespace attune::cli
