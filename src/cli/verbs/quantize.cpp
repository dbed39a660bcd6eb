// attune quantize: a model a quarter or half the size, and faster.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/readable.h"
#include "cli/verb.h"
#include "models/quantize_folder.h"

namespace attune::cli {
namespace {

struct Options {
  std::string from, to, precision = "int8";
  bool verbose = false;
};

void run(const Options& options) {
  const MatrixFormat format = options.precision == "bf16" ? MatrixFormat::bf16 : MatrixFormat::int8;
  const QuantizedFolder done = quantize_model_folder(options.from, options.to, format);
  if (options.verbose) {
    fmt::print("{:<44} {:>10} {:>12}\n",
               fmt::format("what {} bits change", format == MatrixFormat::bf16 ? 16 : 8), "all", "worst row");
    for (const auto& matrix : done.matrices)
      fmt::print("{:<44} {:>9.2f}% {:>11.2f}%\n", matrix.name, 100 * matrix.error, 100 * matrix.worst_row);
  }
  fmt::print("{}: {}\n{}: {} ({})\n", done.from.string(), memory_size(done.bytes_before), options.to,
             memory_size(done.bytes_after),
             percentage(static_cast<double>(done.bytes_after) / static_cast<double>(done.bytes_before)));
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.footer(
      "  attune quantize runs/en-de en-de-int8\n"
      "  attune translate -m en-de-int8 < in.txt > out.txt");
  app.add_option("MODEL", options->from, "model folder, or folder of a run")->required();
  app.add_option("OUT", options->to, "model folder to make")->required();
  const auto formats = enum_names(MatrixFormat());
  app.add_option("--precision", options->precision, "numbers of the matrices: int8, or bf16: 16 bits")
      ->check(CLI::IsMember(std::vector<std::string>(formats.begin(), formats.end())))
      ->capture_default_str();
  app.add_flag("--verbose", options->verbose, "show how much each matrix changes");
  return [options] { run(*options); };
}

const RegisterVerb registered{{"quantize", "make a model folder with weights of 8 or 16 bits", set_up}};

}  // namespace
}  // namespace attune::cli
