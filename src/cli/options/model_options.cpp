#include "cli/options/model_options.h"

#include <CLI/CLI.hpp>

#include "cli/options/config_options.h"
#include "cli/options/precision_option.h"

namespace attune::cli {

void add_target_language(CLI::App& app, std::string& language) {
  app.add_option("--target-language", language,
                 "multilingual models: the language to translate into, for example fr");
}

ModelOptions::ModelOptions(CLI::App& app) {
  app.add_option("-m,--model", paths_, "model folder, or folder of a run; several form an ensemble")
      ->required()
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  take_list(*app.add_option("--weights", weights_, "weights of the models in an ensemble"));
  add_precision_option(app, precision_);
}

ModelFolder ModelOptions::open() const {
  ModelFolder folder(paths_, weights_);
  folder.multiply_in(chosen(precision_));
  return folder.towards(target_language_);
}

}  // namespace attune::cli
