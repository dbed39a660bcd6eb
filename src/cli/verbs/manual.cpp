// attune manual: manual pages for man(1).
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "attune/error.h"
#include "cli/manual/man_page.h"
#include "io/files/file.h"

namespace attune::cli {
namespace {

struct Options {
  std::string verb, folder;
};

void run(const Options& options) {
  std::vector<DescribedVerb> all;
  for (const Verb& verb : verbs()) all.push_back(described(verb));
  if (!options.folder.empty()) {
    const std::filesystem::path folder = options.folder;
    std::filesystem::create_directories(folder);
    write_output_file((folder / "attune.1").string(), man_page(all, ATTUNE_VERSION));
    for (const DescribedVerb& verb : all)
      write_output_file((folder / ("attune-" + verb.name + ".1")).string(), man_page(verb, ATTUNE_VERSION));
    return;
  }
  if (options.verb.empty()) {
    fmt::print("{}", man_page(all, ATTUNE_VERSION));
    return;
  }
  const auto found = std::ranges::find(all, options.verb, &DescribedVerb::name);
  if (found == all.end()) throw UsageError(fmt::format("manual: there is no verb '{}'", options.verb));
  fmt::print("{}", man_page(*found, ATTUNE_VERSION));
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.footer(
      "  attune manual train | man -l -\n"
      "  attune manual --folder ~/.local/share/man/man1      then: man attune-train");
  app.add_option("VERB", options->verb, "whose page to print; without it: that of attune itself");
  app.add_option("--folder", options->folder, "write all pages into this folder");
  return [options] { run(*options); };
}

const RegisterVerb registered{{"manual", "manual pages for man", set_up}};

}  // namespace
}  // namespace attune::cli
