// ModelFiles: what a model folder holds, loaded. A model is a folder with all that it needs:
//   config.json          the model, its vocabularies, decoding defaults, how it was trained
//   weights.safetensors  f32, or of 8 bits (`attune quantize`)
//   vocab.spm            or source.spm and target.spm; .txt for vocabularies of words and characters
#pragma once

#include <filesystem>
#include <memory>

#include "attune/parameters.h"
#include "models/model_config.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

constexpr const char* kRunFile = "run.json";  // of the folder of a training run; names its best model

struct ModelFiles {
  std::filesystem::path path;  // of the folder
  std::unique_ptr<ModelConfig> config;
  Vocabularies vocabularies;
  std::unique_ptr<Parameters> parameters;
  std::unique_ptr<Model> model;
  Entries decoding;  // what to set options to that nobody set
  Entries training;  // a summary, for people
};

// The folder appears as a whole, in place of one that was there.
void save_model_folder(const std::filesystem::path& path, const ModelConfig& config,
                       const Vocabularies& vocabularies, const Parameters& parameters,
                       const FieldList& decoding, const FieldList& training);

// Where the weights are while a model is used: in the mapped file, which takes the least memory but must not
// be written over meanwhile; or in memory of their own.
enum class WeightsIn : uint8_t { file, memory };

// A folder in which something is missing, damaged or from another model is a UsageError that says so. The
// folder of a training run is taken for the best model in it.
ModelFiles load_model_files(const std::filesystem::path& path, WeightsIn weights = WeightsIn::file);

// Whether a model that writes learned from prompts and answers (two columns), and so reads a prompt as a
// source: prompt <s> answer. If not, a prompt is the beginning of the text: <s> prompt ...
bool learned_to_answer(const Entries& training);

// The model that a folder stands for: itself, or the best model of a run, which the run names (run.json); if
// that is not there yet, its last one. A UsageError if it has none.
std::filesystem::path folder_of_model(const std::filesystem::path& path);

// Removes the files of a model folder, and the folder if nothing else is in it.
void remove_model_folder(const std::filesystem::path& path);

// What config.json says of the model, with its type.
Entries read_model_entries(const std::filesystem::path& path);

}  // namespace attune
