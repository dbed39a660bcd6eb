// The models of a verb: -m (several for an ensemble) and --weights.
#pragma once

#include <string>
#include <vector>

#include "folder/model_folder.h"

namespace CLI {
class App;
}

namespace attune::cli {

class ModelOptions {
 public:
  explicit ModelOptions(CLI::App& app);
  ModelFolder open() const { return ModelFolder(paths_, weights_); }

 private:
  std::vector<std::string> paths_;
  std::vector<double> weights_;
};

}  // namespace attune::cli
