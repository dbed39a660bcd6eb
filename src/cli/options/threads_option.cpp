#include "cli/options/threads_option.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>

#include "config/rules.h"

namespace attune::cli {

void add_threads_option(CLI::App& app, int& threads) {
  app.add_option("--cpu-threads", threads, "threads; 0: one per core")
      ->check([](const std::string& word) -> std::string {
        char* end = nullptr;
        const double value = std::strtod(word.c_str(), &end);
        const bool number = !word.empty() && *end == 0 && value == std::floor(value);
        return number && value >= 0 && value <= kMostThreads
                   ? ""
                   : fmt::format("must be a number from 0 to {}, but is {}", kMostThreads, word);
      });
}

}  // namespace attune::cli
