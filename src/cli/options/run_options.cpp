#include "cli/options/run_options.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "config/yaml.h"
#include "io/files/file.h"

namespace attune::cli {

RunOptions::RunOptions(CLI::App& app) : options_(app) {
  app.add_option("config,-c,--config", file_, "configuration file (YAML)");
  std::vector<std::string> types = model_types();
  const std::string help = fmt::format("kind of model: {}", fmt::join(types, ", "));
  options_.add([&](Fields& f) { f("type", std::string("transformer"), help); }, {"Model"});
  const TrainConfig defaults;
  options_.add(fields_of(defaults), {"Training"}, {{"train_sets", 't'}, {"vocabs", 'v'}, {"model", 'm'}});
  std::stable_partition(types.begin(), types.end(),
                        [](const std::string& name) { return name == "transformer"; });
  for (const std::string& name : types) {
    const auto model = model_config(name);
    options_.add(fields_of(*model), {fmt::format("Model of type {}", name), name});
  }
}

RunConfig RunOptions::read() const {
  const Entries file = file_.empty() ? Entries{} : read_yaml(read_file(file_, 1 << 20), file_);
  return read_run_config(file, options_.entries());
}

}  // namespace attune::cli
