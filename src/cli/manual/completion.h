// Completions of the command line: verbs, options, their words, and files.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/manual/described_verb.h"

namespace attune::cli {

inline constexpr const char* kShells[] = {"bash", "zsh", "fish"};

// A script for the shell, one of kShells.
std::string completion(std::string_view shell, std::span<const DescribedVerb> verbs);

}  // namespace attune::cli
