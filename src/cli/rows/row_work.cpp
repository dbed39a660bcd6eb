#include "cli/rows/row_work.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "attune/error.h"
#include "cli/options/threads_option.h"
#include "cli/standard_output.h"
#include "text/utf8.h"

namespace attune::cli {

std::optional<std::string> not_text(std::string_view line) {
  if (const auto invalid = find_invalid_utf8(line)) return fmt::format("byte {} is not UTF-8", *invalid + 1);
  if (const size_t nul = line.find('\0'); nul != std::string::npos)
    return fmt::format("byte {} is NUL", nul + 1);
  return {};
}

void write_out(const Written& written) {
  std::fputs(written.warnings.c_str(), stderr);
  put(written.text);
}

void RowOptions::add_options(CLI::App& app, const std::vector<std::string>& on_error_words) {
  if (on_error_words.size() > 2) ways_on = "skip or copy";
  app.add_option(
         "--on-error", on_error,
         fmt::format("what to do with a line that cannot be used: stop, or {} it and continue", ways_on))
      ->check(CLI::IsMember(on_error_words));
  app.add_option("--mini-batch-words", mini_batch_words, "tokens that are processed together")
      ->check(CLI::PositiveNumber);
  add_threads_option(app, threads);
}

void RowOptions::refuse(int64_t number, const std::string& what, const std::string& becomes,
                        Written& written) const {
  if (on_error == "stop")
    throw BadRow(fmt::format("{}; --on-error {} continues after such lines", what, ways_on), number);
  written.warnings += fmt::format("attune: {}: it is {}\n", what, becomes);
}

bool RowOptions::accept(const Row& row, int64_t number, const std::string& becomes, Written& written) const {
  for (size_t c = 0; c < row.size(); ++c)
    if (const auto what = not_text(row[c])) {
      const std::string column = row.size() > 1 ? fmt::format(", column {}", c + 1) : "";
      refuse(number, fmt::format("line {}{}: {}", number + 1, column, *what), becomes, written);
      return false;
    }
  return true;
}

}  // namespace attune::cli
