// attune convert: models from and to the formats of other toolkits.
#include "convert/convert.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/readable.h"
#include "cli/verb.h"
#include "config/rules.h"

namespace attune::cli {
namespace {

struct Options {
  std::string from, to, format, precision = "f32";
};

std::vector<std::string> formats() {
  std::vector<std::string> names;
  for (const Exporter& exporter : exporters()) names.push_back(exporter.name);
  return names;
}

// Anything that is not a model must not be replaced by one.
void check_free(const std::filesystem::path& out) {
  namespace fs = std::filesystem;
  if (fs::exists(out) && !fs::exists(out / "config.json") && !fs::is_empty(out))
    throw UsageError(fmt::format("{}: this exists and is not a model; choose another name", out.string()));
}

void import_from(const Options& options) {
  const Importer& importer = importer_of(options.from);
  const ImportedModel model = [&] {
    try {
      return importer.read(options.from);
    } catch (const UsageError& error) {
      const std::string text = error.what();
      throw UsageError(text.starts_with(options.from) ? text : options.from + ": " + text);
    }
  }();
  save_imported(model, options.to);
  int64_t numbers = 0;
  for (const auto& [name, tensor] : model.weights) numbers += tensor.size();
  fmt::print("{}: {}\n{}: a model of type {} with {} parameters\n", options.from, importer.what, options.to,
             model.config->type(), grouped(numbers));
}

void export_to(const Options& options) {
  require_word("--to", options.format, formats());
  const ModelFiles folder = load_model_files(options.from);
  for (const Exporter& exporter : exporters()) {
    if (exporter.name != options.format) continue;
    exporter.write(folder, options.to, options.precision == "int8" ? Precision::int8 : Precision::f32);
    fmt::print("{}: {}, {}\n", options.to, exporter.what, options.precision);
  }
}

Action set_up(CLI::App& app) {
  std::string known;
  for (const Importer& importer : importers()) known += "  " + importer.what + "\n";
  app.footer(
      "Without --to, MODEL is a model of another toolkit, and OUT becomes a model folder of attune:\n" +
      known +
      "\n  attune convert runs/en-de ct2/en-de --to ctranslate2\n"
      "  attune convert ct2/en-de en-de\n");
  auto options = std::make_shared<Options>();
  app.add_option("MODEL", options->from, "what to convert")->required();
  app.add_option("OUT", options->to, "folder to write; an existing model is replaced")->required();
  app.add_option("--to", options->format, "format to write: ctranslate2");
  app.add_option("--precision", options->precision, "number format of the weights that --to writes")
      ->check(CLI::IsMember({"f32", "int8"}));
  return [options] {
    check_free(options->to);
    options->format.empty() ? import_from(*options) : export_to(*options);
  };
}

const RegisterVerb registered{
    {"convert", "convert models from and to the formats of other toolkits", set_up}};

}  // namespace
}  // namespace attune::cli
