#include "models/model_files.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "config/rules.h"
#include "io/files/directory.h"
#include "io/files/file.h"
#include "io/json.h"
#include "io/weights.h"
#include "models/adapter.h"
#include "models/files_in_use.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kFormat = 2, kOldest = 1;
constexpr const char *kConfig = "config.json", *kAdapterSection = "adapter";

struct Header {
  int64_t format = kFormat;
  static void fields(FieldsOf<Header> f) { f("format", &Header::format, "version of the folder's layout"); }
};

bool same(const std::shared_ptr<const Vocabulary>& a, const std::shared_ptr<const Vocabulary>& b) {
  return a == b || (a && b && a->serialized() == b->serialized());
}

struct VocabularyFiles {
  std::string source, target;
  static void fields(FieldsOf<VocabularyFiles> f) {
    f("source", &VocabularyFiles::source, "file of the source vocabulary");
    f("target", &VocabularyFiles::target, "file of the target vocabulary");
  }
};

// Those that are the base's are not written.
VocabularyFiles write_vocabularies(const fs::path& folder, const Vocabularies& vocabularies,
                                   const Vocabularies& of_base) {
  VocabularyFiles files;
  const bool joint = vocabularies.joint();
  if (!same(vocabularies.source, of_base.source)) {
    files.source = std::string(joint ? "vocab" : "source") + vocabularies.source->file_ending();
    write_file_atomically(folder / files.source, vocabularies.source->serialized());
  }
  if (joint) {
    files.target = files.source;
  } else if (!same(vocabularies.target, of_base.target)) {
    files.target = std::string("target") + vocabularies.target->file_ending();
    write_file_atomically(folder / files.target, vocabularies.target->serialized());
  }
  return files;
}

Vocabularies read_vocabularies(const fs::path& folder, const Entries& entries, const ModelFiles* base) {
  VocabularyFiles files;
  assign(fields_of(files), entries);
  const auto one = [&](const std::string& name, const std::shared_ptr<const Vocabulary>& of_base) {
    return name.empty() && of_base ? of_base : load_vocabulary((folder / name).string());
  };
  Vocabularies read;
  read.source = one(files.source, base != nullptr ? base->vocabularies.source : nullptr);
  read.target = !files.source.empty() && files.target == files.source
                    ? read.source
                    : one(files.target, base != nullptr ? base->vocabularies.target : nullptr);
  return read;
}

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
  for (const char* name : {kConfig, kWeightsFile, kAdapterFile}) fs::remove(path / name, kept);
  for (const char* name : {"vocab", "source", "target"})
    for (const char* ending : {".spm", ".txt", ".json"})
      fs::remove(path / (std::string(name) + ending), kept);
  fs::remove(path, kept);
}

Entries read_model_entries(const fs::path& path) {
  const fs::path file = folder_of_model(path) / kConfig;
  return model_entries(read_json(read_file(file), file.string()), file);
}

void save_model_folder(const fs::path& path, const ModelConfig& config, const Vocabularies& vocabularies,
                       const Parameters& parameters, const FieldList& decoding, const FieldList& training,
                       const Adapter* adapter) {
  AtomicDirectory folder(path);
  const VocabularyFiles files = write_vocabularies(
      folder.path(), vocabularies, adapter != nullptr ? adapter->vocabularies : Vocabularies{});
  save_weights(folder.path() / (adapter != nullptr ? kAdapterFile : kWeightsFile), parameters,
               adapter != nullptr ? SavedParameters::trained : SavedParameters::all);
  const Header header;
  std::vector<Section> sections{{"", fields_of(header)},
                                {"model", fields_with_type(config)},
                                {"vocabularies", fields_of(files)},
                                {"decoding", decoding},
                                {"training", training}};
  AdapterSection of_adapter;
  if (adapter != nullptr) {
    of_adapter = section_of(*adapter, path);
    sections.push_back({kAdapterSection, fields_of(std::as_const(of_adapter))});
  }
  write_file_atomically(folder.path() / kConfig, write_json(sections));
  folder.commit();
}

namespace {

ModelFiles load_now(const fs::path& folder, WeightsIn weights_in) {
  ModelFiles loaded;
  loaded.path = folder;
  const fs::path file = folder / kConfig;
  const SectionEntries document = read_json(read_file(file), file.string());
  loaded.config = read_model_config(model_entries(document, file));
  const bool adapted = document.contains(kAdapterSection);
  if (adapted) {
    AdapterSection adapter;
    assign(fields_of(adapter), section(document, kAdapterSection, file));
    require(adapter.low_rank.rank > 0 && adapter.low_rank.rank <= kMostNumbers, file.string(),
            "rank: should be 1 to {}, not {}", kMostNumbers, adapter.low_rank.rank);
    loaded.base = load_base(folder, adapter, weights_in);
    loaded.low_rank = adapter.low_rank;
  }
  loaded.vocabularies = read_vocabularies(folder, section(document, "vocabularies", file), loaded.base.get());
  const SafeTensors weights = (weights_in == WeightsIn::file ? SafeTensors::map : SafeTensors::read)(
      folder / (adapted ? kAdapterFile : kWeightsFile), SafeTensors::Checksum::if_there);
  const auto parameters =
      std::make_shared<Parameters>(adapted ? adapted_weights(weights, *loaded.base) : file_weights(weights));
  const Scope scope(*parameters, Random(0));
  loaded.model =
      loaded.config->make(adapted ? scope.with(loaded.low_rank) : scope, words_of(loaded.vocabularies));
  check_weights(weights, *parameters, adapted ? loaded.base->parameters.get() : nullptr);
  loaded.parameters = parameters;
  loaded.decoding = section(document, "decoding", file);
  loaded.training = section(document, "training", file);
  return loaded;
}

}  // namespace

ModelFiles load_model_files(const fs::path& path, WeightsIn weights_in) {
  const fs::path folder = folder_of_model(path);
  const auto load = [&] { return load_now(folder, weights_in); };
  return fs::exists(folder / kAdapterFile) ? load() : loaded_once(folder, weights_in, load);
}

}  // namespace attune
