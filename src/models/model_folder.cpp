#include "models/model_folder.h"

#include <fmt/core.h>

#include "attune/error.h"
#include "config/rules.h"
#include "io/directory.h"
#include "io/file.h"
#include "io/json.h"
#include "io/weights.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kFormat = 1;
constexpr const char* kConfig = "config.json";

struct Header {
  int64_t format = kFormat;
  void fields(Fields& f) { f("format", format, "version of the folder's layout"); }
};

struct VocabularyFiles {
  std::string source, target;
  void fields(Fields& f) {
    f("source", source, "file of the source vocabulary");
    f("target", target, "file of the target vocabulary");
  }
};

FieldList fields_with_type(ModelConfig& config, std::string& type) {
  return [&config, &type](Fields& f) {
    f("type", type, "kind of model");
    config.fields(f);
  };
}

std::string file_name(const std::string& stem, const Vocabulary& vocabulary) {
  const bool listed =
      vocabulary.kind() == VocabularyKind::word || vocabulary.kind() == VocabularyKind::character;
  return stem + (listed ? ".txt" : ".spm");
}

// The folder itself, or the best model of a run.
fs::path folder_of_model(const fs::path& path) {
  const fs::path present = present_directory(path);
  if (!fs::is_directory(present))
    throw UsageError(fmt::format("{}: there is no such model folder", path.string()));
  if (fs::exists(present / kConfig)) return present;
  for (const char* name : {"best-bleu", "best-chrf", "best-perplexity", "best-accuracy", "best-loss", "last"})
    if (const fs::path inner = present_directory(present / name); fs::exists(inner / kConfig)) return inner;
  throw UsageError(fmt::format("{}: this is no model folder: it has no {}", path.string(), kConfig));
}

const Entries& section(const SectionEntries& document, const std::string& name, const fs::path& file) {
  const auto found = document.find(name);
  if (found == document.end())
    throw UsageError(fmt::format("{}: the section '{}' is missing", file.string(), name));
  return found->second;
}

}  // namespace

Entries read_model_entries(const fs::path& path) {
  const fs::path file = folder_of_model(path) / kConfig;
  return section(read_json(read_file(file), file.string()), "model", file);
}

void save_model_folder(const fs::path& path, ModelConfig& config, const Vocabularies& vocabularies,
                       const Parameters& parameters, const FieldList& decoding, const FieldList& training) {
  AtomicDirectory folder(path);
  VocabularyFiles files;
  files.source = file_name(vocabularies.joint() ? "vocab" : "source", *vocabularies.source);
  files.target = vocabularies.joint() ? files.source : file_name("target", *vocabularies.target);
  write_file_atomically(folder.path() / files.source, vocabularies.source->serialized());
  if (!vocabularies.joint())
    write_file_atomically(folder.path() / files.target, vocabularies.target->serialized());
  save_weights(folder.path() / kWeightsFile, parameters);
  Header header;
  std::string type = config.type();
  const Section sections[] = {{"", fields_of(header)},
                              {"model", fields_with_type(config, type)},
                              {"vocabularies", fields_of(files)},
                              {"decoding", decoding},
                              {"training", training}};
  write_file_atomically(folder.path() / kConfig, write_json(sections));
  folder.commit();
}

ModelFolder load_model_folder(const fs::path& path) {
  ModelFolder folder;
  folder.path = folder_of_model(path);
  const fs::path file = folder.path / kConfig;
  const SectionEntries document = read_json(read_file(file), file.string());
  Header header;
  assign(fields_of(header), section(document, "", file));
  if (header.format != kFormat)
    throw UsageError(fmt::format("{}: the folder has format {}, but this attune reads format {}",
                                 file.string(), header.format, kFormat));
  VocabularyFiles files;
  assign(fields_of(files), section(document, "vocabularies", file));
  folder.vocabularies.source = load_vocabulary((folder.path / files.source).string());
  folder.vocabularies.target = files.target == files.source
                                   ? folder.vocabularies.source
                                   : load_vocabulary((folder.path / files.target).string());
  folder.config = read_model_config(section(document, "model", file));
  const SafeTensors weights = SafeTensors::read(folder.path / kWeightsFile);
  folder.parameters = std::make_unique<Parameters>(file_weights(weights));
  folder.model =
      folder.config->make(Scope(*folder.parameters, Random(0)),
                          {folder.vocabularies.source->size(), folder.vocabularies.target->size()});
  check_weights(weights, *folder.parameters);
  folder.decoding = section(document, "decoding", file);
  folder.training = section(document, "training", file);
  return folder;
}

}  // namespace attune
