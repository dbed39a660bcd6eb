// ModelFiles: the loaded contents of a model folder, which has everything that a model needs:
//   config.json          the model, its vocabularies, decoding defaults, how it was trained
//   weights.safetensors  f32, or 8-bit or bf16 matrices (`attune quantize`)
//   vocab.spm            or source.spm and target.spm; .txt for vocabularies of words and characters,
//                       .json for tokenizers of Hugging Face
#pragma once

#include <filesystem>
#include <memory>

#include "attune/parameters.h"
#include "models/model_config.h"
#include "text/directions/direction.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

constexpr const char* kRunFile = "run.json";  // in the folder of a training run; names its best model

struct ModelFiles {
  std::filesystem::path path;  // of the folder
  std::unique_ptr<ModelConfig> config;
  Vocabularies vocabularies;
  std::unique_ptr<Parameters> parameters;
  std::unique_ptr<Model> model;
  Entries decoding;  // defaults of options for decoding
  Entries training;  // a summary for readers
};

// The folder appears whole, replacing one that was there.
void save_model_folder(const std::filesystem::path& path, const ModelConfig& config,
                       const Vocabularies& vocabularies, const Parameters& parameters,
                       const FieldList& decoding, const FieldList& training);

// Where the weights are kept: in the mapped file, which takes the least memory but must not be overwritten
// meanwhile; or in separate memory.
enum class WeightsIn : uint8_t { file, memory };

// A folder in which something is missing, damaged or from another model is a UsageError that says so. For the
// folder of a training run, loads its best model.
ModelFiles load_model_files(const std::filesystem::path& path, WeightsIn weights = WeightsIn::file);

// Whether a model that writes was trained on prompts and answers (two columns), and so reads a prompt as a
// source: prompt <s> answer. Otherwise a prompt is the beginning of the text: <s> prompt ...
bool learned_to_answer(const Entries& training);

// What a multilingual model was trained for; empty for other models.
std::vector<Direction> trained_directions(const Entries& training);

// The model that a folder stands for: itself, or the best model of a run, named in run.json; if it does not
// exist yet, the last one. A UsageError if there is none.
std::filesystem::path folder_of_model(const std::filesystem::path& path);

// Removes the files of a model folder, and the folder if nothing else is in it.
void remove_model_folder(const std::filesystem::path& path);

// The model's entries in config.json, with its type.
Entries read_model_entries(const std::filesystem::path& path);

}  // namespace attune
