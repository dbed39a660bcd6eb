// The models of a verb: -m (several for an ensemble) and --weights.
#pragma once

#include <string>
#include <vector>

#include "decode/answers.h"
#include "decode/search/ensemble.h"
#include "models/model_folder.h"

namespace CLI {
class App;
}

namespace attune::cli {

// Models over the same vocabularies, for the same task.
struct LoadedModels {
  std::vector<ModelFolder> folders;
  std::vector<double> weights;  // they sum to 1
  int64_t longest = 0;          // most tokens that all of them can read; 0: no limit

  TaskKind task() const { return folders[0].config->task(); }
  const Vocabularies& vocabularies() const { return folders[0].vocabularies; }

  std::vector<WeightedModel> models() const;
  Ensemble writers() const;  // a UsageError if they do not write text
};

class ModelOptions {
 public:
  explicit ModelOptions(CLI::App& app);
  LoadedModels load() const;

 private:
  std::vector<std::string> paths_;
  std::vector<double> weights_;
};

// "translates", for messages.
const char* what_it_does(TaskKind task);

}  // namespace attune::cli
