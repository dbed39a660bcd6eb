#include "cli/options/run_options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "config/yaml.h"
#include "io/file.h"

namespace attune::cli {

RunOptions::RunOptions(CLI::App& app) : options_(app) {
  app.add_option("config,-c,--config", file_, "configuration file (YAML)");
  options_.add(
      [](Fields& f) {
        f("type", std::string("transformer"), "kind of model: bert, gpt, rnn, rnn_lm, transformer");
      },
      {"Model"});
  const TrainConfig defaults;
  options_.add(fields_of(defaults), {"Training"}, {{"train_sets", 't'}, {"vocabs", 'v'}, {"model", 'm'}});
  for (const char* name : {"transformer", "rnn", "rnn_lm", "gpt", "bert"}) {
    const auto model = model_config(name);
    options_.add(fields_of(*model), {fmt::format("Model of type {}", name), name});
  }
}

RunConfig RunOptions::read() const {
  const Entries file = file_.empty() ? Entries{} : read_yaml(read_file(file_, 1 << 20), file_);
  return read_run_config(file, options_.entries());
}

}  // namespace attune::cli
