// Text that is too much for one process or one day: it is cut into parts, each of which becomes a file as
// soon as it is done. Ranks take the next part when they are free; what was done before is not done again.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/rows/row_work.h"
#include "models/model_files.h"
#include "ranks/ranks.h"

namespace CLI {
class App;
}

namespace attune::cli {

struct BulkOptions {
  std::string input, output;
  std::string shard;  // "2/8": the second of eight jobs that share the work without knowing each other
  int64_t part_lines = 10'000;

  void add_options(CLI::App& app);
  bool wanted() const { return !input.empty() || !output.empty(); }
};

// What the outputs depend on and has to be the same when work goes on: the options that were given, and the
// content of the models.
struct LastingSettings {
  std::string options;
  std::vector<std::string> models;
};
LastingSettings lasting_settings(const CLI::App& app, std::span<const ModelFiles> models);

// OUTPUT/part-00000000.txt and so on, and OUTPUT/parts.json: what they were made with, and from which
// content. `work` runs in so many threads.
void translate_in_parts(const BulkOptions& options, const LastingSettings& settings, Ranks& ranks,
                        int workers, const std::function<Written(RowPiece)>& work);

}  // namespace attune::cli
