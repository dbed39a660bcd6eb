// attune convert: models from and to the formats of other toolkits.
#include "convert/convert.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>

#include "base/readable.h"
#include "base/say.h"
#include "cli/verb.h"
#include "config/rules.h"

namespace attune::cli {
namespace {

struct Options {
  std::string from, to, format, precision = "f32";
  std::vector<std::string> vocabularies;
};

// Anything that is not a model must not be replaced by one.
void check_free(const std::filesystem::path& out) {
  namespace fs = std::filesystem;
  if (fs::exists(out) && !fs::exists(out / "config.json") && !fs::is_empty(out))
    throw UsageError(fmt::format("{}: this exists and is not a model; choose another name", out.string()));
}

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

ImportedModel read(const Importer& importer, ImportSource source) {
  Progress progress(source.path.filename().string());
  source.progress = [&](double share) { progress(share); };
  try {
    return importer.read(source);
  } catch (const UsageError& error) {
    const std::string text = error.what(), path = source.path.string();
    throw UsageError(text.starts_with(path) ? text : path + ": " + text);
  }
}

void import_one(const Importer& importer, const ImportSource& source, const std::filesystem::path& to) {
  const ImportedModel model = read(importer, source);
  save_imported(model, to);
  int64_t numbers = 0;
  for (const auto& [name, tensor] : model.weights) numbers += tensor.size();
  fmt::print("{}: a model of type {} with {} parameters\n", to.string(), model.config->type(),
             grouped(numbers));
}

// What was recognised, before the work begins.
void tell(const Options& options, const Importer& importer, const std::vector<ImportSource>& members) {
  fmt::print("{}: {}\n", options.from, importer.what);
  if (importer.about != nullptr) fmt::print("  {}\n", importer.about(options.from));
  for (const ImportSource& member : members) {
    std::vector<std::string> names;
    for (const auto& vocabulary : member.vocabularies) names.push_back(vocabulary.filename().string());
    for (const Entry& option : member.decoding)
      names.push_back(fmt::format("{} {}", option.key, option.values[0]));
    if (!names.empty()) fmt::print("  {} with {}\n", member.path.filename().string(), fmt::join(names, ", "));
  }
  std::fflush(stdout);
}

// The models of an ensemble become OUT/1, OUT/2, ..: all of them or none.
void import_all(const Importer& importer, const std::vector<ImportSource>& members,
                const std::filesystem::path& out) {
  std::vector<std::string> folders;
  std::filesystem::create_directories(out);
  try {
    for (const ImportSource& member : members) {
      folders.push_back((out / std::to_string(folders.size() + 1)).string());
      import_one(importer, member, folders.back());
    }
  } catch (...) {
    for (const std::string& folder : folders) remove_model_folder(folder);
    std::filesystem::remove(out);
    throw;
  }
  fmt::print("an ensemble of {}: attune translate -m {}\n", members.size(), fmt::join(folders, " -m "));
}

void import_from(const Options& options) {
  const Importer& importer = importer_of(options.from);
  const ImportSource given{options.from, {options.vocabularies.begin(), options.vocabularies.end()}};
  require(importer.takes_vocabularies || given.vocabularies.empty(), "--vocabs",
          "{} has its vocabulary with it; leave the option out", importer.what);
  const std::vector<ImportSource> members =
      importer.members != nullptr ? importer.members(given) : std::vector{given};
  tell(options, importer, members);
  if (members.size() == 1)
    import_one(importer, members[0], options.to);
  else
    import_all(importer, members, options.to);
}

void export_to(const Options& options) {
  const Exporter& exporter = exporter_of(options.format);
  exporter.write(whole_model(load_model_files(options.from)), options.to,
                 options.precision == "int8" ? Precision::int8 : Precision::f32);
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
    check_free(options->to);
    options->format.empty() ? import_from(*options) : export_to(*options);
  };
}

const RegisterVerb registered{
    {"convert", "convert models from and to the formats of other toolkits", set_up}};

}  // namespace
}  // namespace attune::cli
