#include "cli/options/corpus_options.h"

#include <CLI/CLI.hpp>

#include "attune/error.h"
#include "base/say.h"
#include "cli/options/config_options.h"
#include "train/run/left_out_report.h"

namespace attune::cli {

void CorpusOptions::add_options(CLI::App& app) {
  app.add_flag("--tsv", tsv, "one file with all columns, separated by tabs");
  const auto add = [&app](const char* name, std::vector<std::string>& list, const char* help) {
    take_list(*app.add_option(name, list, help)->default_str(""));
  };
  add("--languages", wanted.languages,
      "source and target language in TMX, XLIFF and PO files, for example en fr; also the extensions of "
      "files "
      "that are named without one");
  add("--columns", wanted.columns,
      "source and target column in CSV, TSV and JSON files, by name or by number from 1");
}

std::vector<CorpusSource> CorpusOptions::sources(const std::vector<std::string>& files) const {
  std::vector<CorpusSource> sources;
  const auto add = [&](const std::vector<std::string>& of) {
    sources.push_back({.files = of, .tsv = tsv, .wanted = wanted});
  };
  for (const std::string& file : files)
    if (const auto of_stem = files_of_stem(file, wanted.languages); !of_stem.empty())
      add(of_stem);
    else if (tsv || holds_all_columns(file, wanted))
      add({file});
  if (sources.size() == files.size()) return sources;
  if (!sources.empty())
    throw UsageError("files of one column and files that hold all columns cannot be mixed here");
  add(files);
  return sources;
}

void say_left_out(const Corpus& corpus) {
  attune::say_left_out(corpus, [](const std::string& text) { say("attune: " + text + "\n"); });
}

}  // namespace attune::cli
