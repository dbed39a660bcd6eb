// The models of a verb: -m (several for an ensemble), --weights and --precision.
#pragma once

#include <string>
#include <vector>

#include "folder/model_folder.h"
#include "ops/product/engine.h"

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
  ModelFolder open() const;

 private:
  std::vector<std::string> paths_;
  std::vector<double> weights_;
  std::string target_language_;
  PrecisionChoice precision_ = PrecisionChoice::f32;
};

}  // namespace attune::cli
