// The command line of verbs that take a run's configuration: a file, and every key also as an option.
#pragma once

#include <string>

#include "cli/options/config_options.h"
#include "train/train_config.h"

namespace attune::cli {

class RunOptions {
 public:
  explicit RunOptions(CLI::App& app);

  RunConfig read() const;  // the command line takes precedence

 private:
  std::string file_;
  ConfigOptions options_;
};

}  // namespace attune::cli
