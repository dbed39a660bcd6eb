// attune completion: scripts that let a shell complete attune's command line.
#include "cli/manual/completion.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

namespace attune::cli {
namespace {

void run(const std::string& shell) {
  std::vector<DescribedVerb> all;
  for (const Verb& verb : verbs()) all.push_back(described(verb));
  fmt::print("{}", completion(shell, all));
}

Action set_up(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  app.footer(
      "  attune completion bash > ~/.local/share/bash-completion/completions/attune\n"
      "  attune completion zsh > ~/.zfunc/_attune      (a folder of $fpath)\n"
      "  attune completion fish > ~/.config/fish/completions/attune.fish");
  app.add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kShells), std::end(kShells))));
  return [shell] { run(*shell); };
}

const RegisterVerb registered{
    {"completion", "a script that lets a shell complete verbs and options", set_up}};

}  // namespace
}  // namespace attune::cli
