#include "cli/options/line_options.h"

#include <CLI/CLI.hpp>

namespace attune::cli {

void LineOptions::add_options(CLI::App& app, const std::string& lines, const std::string& objects) {
  app.add_option("file", file, "file of " + lines + "; '-': stdin");
  app.add_flag("--json", json, objects);
  rows.add_options(app, {"stop", "skip"});
}

}  // namespace attune::cli
