#include "cli/options/precision_option.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace attune::cli {

void add_precision_option(CLI::App& app, PrecisionChoice& choice) {
  const auto names = enum_names(choice);
  const std::vector<std::string> words(names.begin(), names.end());
  app.add_option_function<std::string>(
         "--precision",
         [&choice, words](const std::string& word) {
           choice = static_cast<PrecisionChoice>(std::ranges::find(words, word) - words.begin());
         },
         "how f32 weights are multiplied: f32; bf16: in 16 bits, with sums in f32; auto: bf16 if the CPU is "
         "faster with it")
      ->check(CLI::IsMember(words))
      ->default_str("f32");
}

}  // namespace attune::cli
