// attune page: models in one HTML file that needs no server.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "attune/error.h"
#include "base/readable.h"
#include "cli/verb.h"
#include "io/files/file.h"
#include "io/files/temporary.h"
#include "models/model_files.h"
#include "models/quantize_folder.h"
#include "serve/engine/served_model.h"
#include "tensor/quantized.h"
#include "view/local_page.h"

namespace attune::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> models;
  std::string output, title, text, precision = "int8";
  bool learn = false;
};

// The files of a folder in the order of their names, so that the same model makes the same page.
std::vector<view::LocalModel::File> files_of(const fs::path& folder) {
  std::vector<view::LocalModel::File> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back({entry.path().filename().string(), read_file(entry.path())});
  std::ranges::sort(files, {}, &view::LocalModel::File::name);
  return files;
}

// Removed in the end.
class Folder {
 public:
  Folder() : made_(make_temporary_directory(fs::temp_directory_path() / "page")) {}
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(made_.path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return made_.path; }

 private:
  Temporary made_;
};

// With weights of the precision that is asked for, unless the folder has fewer bits already.
std::vector<view::LocalModel::File> packed_files(const std::string& model, const Options& options) {
  const ModelFiles given = load_model_files(model);
  if (any_narrow(*given.parameters) || (options.precision == "f32" && given.base == nullptr))
    return files_of(given.path);
  if (options.precision == "f32")
    throw UsageError(
        fmt::format("{}: an adapter is merged into its base with --precision int8 or bf16", model));
  const Folder folder;
  const fs::path small = folder.path() / "model";
  quantize_model_folder(model, small, options.precision == "bf16" ? MatrixFormat::bf16 : MatrixFormat::int8);
  return files_of(small);
}

// Two runs may have models of one name: "best-bleu", "best-bleu-2".
std::string unused_name(const std::vector<view::LocalModel>& models, const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; std::ranges::find(models, name, &view::LocalModel::name) != models.end(); ++i)
    name = fmt::format("{}-{}", wanted, i);
  return name;
}

void run(const Options& options) {
  view::LocalPage page{.title = {options.title, options.title},
                       .text = {options.text, options.text},
                       .training = options.learn || options.models.empty()};
  view::require_engine();
  for (const std::string& text : options.models) {
    const serve::ModelPlace place = serve::parse_model_place(text);
    page.models.push_back({.name = unused_name(page.models, serve::last_name(place.folder)),
                           .source = place.source,
                           .target = place.target,
                           .files = packed_files(place.folder, options)});
  }
  const std::string html = view::local_html(page);
  write_output_file(options.output, html);
  fmt::print("{}: {}; open it in a browser, it needs nothing else\n", options.output,
             memory_size(static_cast<int64_t>(html.size())));
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.footer(
      "  attune page -m runs/en-de -o en-de.html\n"
      "  attune page -m en-de=runs/en-de -m de-en=runs/de-en -o both.html --title 'English and German'\n"
      "  attune page -o learn.html          a page in which a model learns to read dates");
  app.add_option("-m,--model", options->models,
                 "model folder, or folder of a run; en-de=FOLDER says its languages; several to compare them")
      ->type_name("FOLDER");
  app.add_option("-o,--output", options->output, "HTML file to write")->required()->type_name("FILE");
  app.add_option("--title", options->title, "title of the page");
  app.add_option("--text", options->text, "what the page says below its title");
  app.add_option("--precision", options->precision,
                 "weights in the page: int8 (smallest and fastest), bf16 or f32")
      ->check(CLI::IsMember({"int8", "bf16", "f32"}))
      ->capture_default_str();
  app.add_flag("--learn", options->learn, "also the view in which models learn; it is there without --model");
  return [options] { run(*options); };
}

const RegisterVerb registered{
    {"page", "make one HTML file that runs models in the reader's browser, without a server", set_up}};

}  // namespace
}  // namespace attune::cli
