#include "models/model_files.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "config/rules.h"
#include "io/files/directory.h"
#include "io/files/file.h"
#include "io/json.h"
#include "io/weights.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kFormat = 2, kOldest = 1;
constexpr const char* kConfig = "config.json";

struct Header {
  int64_t format = kFormat;
  static void fields(FieldsOf<Header> f) { f("format", &Header::format, "version of the folder's layout"); }
};

struct VocabularyFiles {
  std::string source, target;
  static void fields(FieldsOf<VocabularyFiles> f) {
    f("source", &VocabularyFiles::source, "file of the source vocabulary");
    f("target", &VocabularyFiles::target, "file of the target vocabulary");
  }
};

FieldList fields_with_type(const ModelConfig& config) {
  return [&config](Fields& f) {
    f("type", config.type(), "kind of model");
    config.fields(f);
  };
}

const Entries& section(const SectionEntries& document, const std::string& name, const fs::path& file) {
  const auto found = document.find(name);
  if (found == document.end())
    throw UsageError(fmt::format("{}: the section '{}' is missing", file.string(), name));
  return found->second;
}

// The model's entries in config.json. In format 1, input feeding always fed the context.
Entries model_entries(const SectionEntries& document, const fs::path& file) {
  Header header;
  assign(fields_of(header), section(document, "", file));
  if (header.format < kOldest || header.format > kFormat)
    throw UsageError(fmt::format("{}: the folder has format {}, but this attune reads formats {} to {}",
                                 file.string(), header.format, kOldest, kFormat));
  Entries entries = section(document, "model", file);
  for (Entry& entry : entries)
    if (header.format == 1 && entry.key == "input_feeding" && entry.values[0] == "true")
      entry.values = {"context"};
  return entries;
}

// The best model that the run in the folder names; empty if it is not a run. Runs of attune 0.1 do not name
// it; they had these models, in this order.
std::string best_of_run(const fs::path& folder) {
  const fs::path file = folder / kRunFile;
  if (!fs::exists(file)) {
    for (const char* name :
         {"best-bleu", "best-chrf", "best-perplexity", "best-accuracy", "best-loss", "last"})
      if (fs::exists(present_directory(folder / name) / kConfig)) return name;
    return {};
  }
  const SectionEntries document = read_json(read_file(file), file.string());
  for (const Entry& entry : section(document, "", file))
    if (entry.key == "best" && entry.values.size() == 1) return entry.values[0];
  return {};
}

}  // namespace

bool learned_to_answer(const Entries& training) {
  const auto columns = std::ranges::find(training, "columns", &Entry::key);
  return columns != training.end() && columns->values == std::vector<std::string>{"2"};
}

std::vector<Direction> trained_directions(const Entries& training) {
  const auto languages = std::ranges::find(training, "languages", &Entry::key);
  return languages == training.end() ? std::vector<Direction>{} : read_directions(languages->values);
}

fs::path folder_of_model(const fs::path& path) {
  const fs::path present = present_directory(path);
  if (!fs::is_directory(present))
    throw UsageError(fmt::format("{}: there is no such model folder", path.string()));
  if (fs::exists(present / kConfig)) return present;
  const std::string best = best_of_run(present);
  if (best.empty())
    throw UsageError(fmt::format(
        "{}: this is neither a model folder (it has no {}) nor the folder of a run (it has no {})",
        path.string(), kConfig, kRunFile));
  for (const std::string& name : {best, std::string("last")})
    if (const fs::path inner = present_directory(present / name); fs::exists(inner / kConfig)) return inner;
  throw UsageError(
      fmt::format("{}: this run has no model yet; it writes one after the first validation "
                  "(valid_freq) or at its end",
                  path.string()));
}

void remove_model_folder(const fs::path& path) {
  std::error_code kept;
  for (const char* name : {kConfig, kWeightsFile}) fs::remove(path / name, kept);
  for (const char* name : {"vocab", "source", "target"})
    for (const char* ending : {".spm", ".txt", ".json", ".yml", ".parts"})
      fs::remove(path / (std::string(name) + ending), kept);
  fs::remove(path, kept);
}

Entries read_model_entries(const fs::path& path) {
  const fs::path file = folder_of_model(path) / kConfig;
  return model_entries(read_json(read_file(file), file.string()), file);
}

void save_model_folder(const fs::path& path, const ModelConfig& config, const Vocabularies& vocabularies,
                       const Parameters& parameters, const FieldList& decoding, const FieldList& training) {
  AtomicDirectory folder(path);
  VocabularyFiles files;
  const bool joint = vocabularies.joint();
  files.source = std::string(joint ? "vocab" : "source") + vocabularies.source->file_ending();
  files.target = joint ? files.source : std::string("target") + vocabularies.target->file_ending();
  write_file_atomically(folder.path() / files.source, vocabularies.source->serialized());
  if (!joint) write_file_atomically(folder.path() / files.target, vocabularies.target->serialized());
  save_weights(folder.path() / kWeightsFile, parameters);
  const Header header;
  const Section sections[] = {{"", fields_of(header)},
                              {"model", fields_with_type(config)},
                              {"vocabularies", fields_of(files)},
                              {"decoding", decoding},
                              {"training", training}};
  write_file_atomically(folder.path() / kConfig, write_json(sections));
  folder.commit();
}

ModelFiles load_model_files(const fs::path& path, WeightsIn weights_in) {
  ModelFiles loaded;
  loaded.path = folder_of_model(path);
  const fs::path file = loaded.path / kConfig;
  const SectionEntries document = read_json(read_file(file), file.string());
  loaded.config = read_model_config(model_entries(document, file));
  VocabularyFiles files;
  assign(fields_of(files), section(document, "vocabularies", file));
  loaded.vocabularies.source = load_vocabulary((loaded.path / files.source).string());
  loaded.vocabularies.target = files.target == files.source
                                   ? loaded.vocabularies.source
                                   : load_vocabulary((loaded.path / files.target).string());
  const SafeTensors weights = (weights_in == WeightsIn::file ? SafeTensors::map : SafeTensors::read)(
      loaded.path / kWeightsFile, SafeTensors::Checksum::if_there);
  loaded.parameters = std::make_unique<Parameters>(file_weights(weights));
  loaded.model = loaded.config->make(Scope(*loaded.parameters, Random(0)), words_of(loaded.vocabularies));
  check_weights(weights, *loaded.parameters);
  loaded.decoding = section(document, "decoding", file);
  loaded.training = section(document, "training", file);
  return loaded;
}

}  // namespace attune
