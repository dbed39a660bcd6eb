// attune convert: models from and to the formats of other toolkits.
#include "convert/convert_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "base/say.h"
#include "cli/verb.h"

namespace attune::cli {
namespace {

struct Options {
  std::string from, to, format, precision = "f32";
  std::vector<std::string> vocabularies;
};

// How far a large model has been read: on a terminal a line that changes, otherwise one every ten seconds.
class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)) {}
  ~Progress() {
    if (shown_ && terminal_) say("\r\33[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(double share) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + (terminal_ ? std::chrono::milliseconds(300) : std::chrono::seconds(10));
    shown_ = true;
    say(fmt::format("{}  {}: {:.0f}% read{}", terminal_ ? "\r\33[K" : "", what_, 100 * share,
                    terminal_ ? "" : "\n"));
  }

 private:
  std::string what_;
  bool terminal_ = isatty(STDERR_FILENO) != 0, shown_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

void import_from(const Options& options) {
  std::optional<Progress> progress;  // of the file that is read
  std::string reading;
  const ConversionWatch watch{.say =
                                  [&](const std::string& line) {
                                    progress.reset();
                                    fmt::print("{}\n", line);
                                    std::fflush(stdout);
                                  },
                              .read =
                                  [&](const std::string& file, double share) {
                                    if (std::exchange(reading, file) != file || !progress)
                                      progress.emplace(file);
                                    (*progress)(share);
                                  }};
  const auto folders = import_model(
      {options.from, {options.vocabularies.begin(), options.vocabularies.end()}}, options.to, watch);
  if (folders.size() == 1) return;
  std::string models;
  for (const auto& folder : folders) models += " -m " + folder.string();
  fmt::print("an ensemble of {}: attune translate{}\n", folders.size(), models);
}

void export_to(const Options& options) {
  const Exporter& exporter = exporter_of(options.format);
  exporter.write(whole_model(load_model_files(options.from)), options.to,
                 options.precision == "int8" ? FileNumbers::int8 : FileNumbers::f32);
  fmt::print("{}: {}, {}\n", options.to, exporter.what, options.precision);
}

Action set_up(CLI::App& app) {
  std::string known;
  for (const Importer& importer : importers()) known += "  " + importer.what + "\n";
  app.footer(
      "Without --to, MODEL is a model of another toolkit, and OUT becomes a model folder of attune:\n" +
      known +
      "\n  attune convert runs/en-de ct2/en-de --to ctranslate2\n"
      "  attune convert ct2/en-de en-de\n"
      "  attune convert opus-mt/en-de en-de\n"
      "  attune convert hub/gpt2 gpt2\n"
      "  attune convert runs/my-bert out/my-bert --to huggingface\n"
      "  attune convert runs/my-adapter whole --to attune\n"
      "  attune convert model.npz en-de --vocabs vocab.en.yml vocab.de.yml\n");
  auto options = std::make_shared<Options>();
  app.add_option("MODEL", options->from, "what to convert")->required();
  app.add_option("OUT", options->to, "folder to write; an existing model is replaced")->required();
  app.add_option(
      "--to", options->format,
      "format to write: ctranslate2, huggingface; attune: an adapter and its base become one model");
  app.add_option(
      "-v,--vocabs", options->vocabularies,
      "a Marian model's vocabularies, source and target or one for both: .spm, .yml, or .spm and .yml");
  app.add_option("--precision", options->precision, "number format of the weights that --to writes")
      ->check(CLI::IsMember({"f32", "int8"}));
  return [options] {
    require_free(options->to);
    options->format.empty() ? import_from(*options) : export_to(*options);
  };
}

const RegisterVerb registered{
    {"convert", "convert models from and to the formats of other toolkits", set_up}};

}  // namespace
}  // namespace attune::cli
