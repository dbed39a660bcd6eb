// Options of verbs that read a corpus in any format.
#pragma once

#include <string>
#include <vector>

#include "text/corpus/corpus.h"

namespace CLI {
class App;
}

namespace attune::cli {

struct CorpusOptions {
  bool tsv = false;
  WantedColumns wanted;

  void add_options(CLI::App& app);

  // Files whose lines belong together are one source, files that hold all columns one each.
  std::vector<CorpusSource> sources(const std::vector<std::string>& files) const;
};

// To stderr.
void say_left_out(const Corpus& corpus);

}  // namespace attune::cli
