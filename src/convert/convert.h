// Models of other toolkits. Each format is a file that registers itself: an Importer turns another toolkit's
// files into a model folder, an Exporter writes files for another toolkit.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "convert/import_progress.h"
#include "models/model_files.h"

namespace attune {

// A model in attune's terms: its parameters by attune's names.
struct ImportedModel {
  std::unique_ptr<ModelConfig> config;
  Vocabularies vocabularies;
  std::map<std::string, Tensor, std::less<>> weights;
  Entries decoding = {};  // defaults of options for decoding
};

// What to read: the file or folder of one model, and its vocabularies (source, target) if they were named.
struct ImportSource {
  std::filesystem::path path;
  std::vector<std::filesystem::path> vocabularies = {};
  Entries decoding = {};  // options for decoding that come with the model, by attune's names
  ImportProgress progress = {};
};

struct Importer {
  std::string name, what;  // "ctranslate2", "a CTranslate2 folder"
  bool (*recognises)(const std::filesystem::path&);
  ImportedModel (*read)(const ImportSource&);
  // The models that a folder holds, if that may be several (an ensemble).
  std::vector<ImportSource> (*members)(const ImportSource&) = nullptr;
  bool takes_vocabularies = false;
  // What is known of a model before it is read: "model_type gpt2, 148 tensors in one file, F32".
  std::string (*about)(const std::filesystem::path&) = nullptr;
};

enum class FileNumbers : uint8_t { f32, int8 };  // of the weights that an exporter writes

struct Exporter {
  std::string name, what;
  void (*write)(const ModelFiles&, const std::filesystem::path&, FileNumbers);
};

struct RegisterImporter {
  explicit RegisterImporter(Importer importer);
};
struct RegisterExporter {
  explicit RegisterExporter(Exporter exporter);
};

const std::vector<Importer>& importers();
const std::vector<Exporter>& exporters();

const Exporter& exporter_of(std::string_view name);  // a UsageError if there is none

// The first importer that recognises the path; a UsageError if none does.
const Importer& importer_of(const std::filesystem::path& path);

// A parameter that is missing, has a different shape or is not part of the model is a UsageError.
void save_imported(const ImportedModel& model, const std::filesystem::path& folder);

// The configuration C of a model whose `type` is known.
template <class C>
C config_of(const ModelConfig& config) {
  C copy;
  assign(fields_of(copy), entries_of(fields_of(config)));
  return copy;
}

// `config`, whose `type` is given, as a model folder stores it; validated.
template <class C>
std::unique_ptr<ModelConfig> config_as(std::string_view type, const C& config) {
  auto kept = model_config(type);
  assign(fields_of(*kept), entries_of(fields_of(config)));
  kept->validate();
  return kept;
}

}  // namespace attune
