// The options of a verb whose models answer lines: the models, the file of the lines, --json, and how lines
// are worked through.
#pragma once

#include <string>

#include "cli/options/model_options.h"
#include "cli/rows/row_work.h"

namespace attune::cli {

struct LineOptions {
  explicit LineOptions(CLI::App& app) : models(app) {}

  ModelOptions models;
  std::string file = "-";
  bool json = false;
  RowOptions rows;

  // `lines` and `objects` say what stands in the file, and what --json writes.
  void add_options(CLI::App& app, const std::string& lines, const std::string& objects);
};

}  // namespace attune::cli
