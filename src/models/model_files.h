// ModelFiles: the loaded contents of a model folder, which has everything that a model needs:
//   config.json          the model, its vocabularies, decoding defaults, how it was trained
//   weights.safetensors  f32, or 8-bit (`attune quantize`)
//   vocab.spm            or source.spm and target.spm; .txt for vocabularies of words and characters,
//                       .json for tokenizers of Hugging Face
// The folder of an adapter (nn/low_rank.h) has adapter.safetensors instead: what a model has learnt in
// addition to the base that config.json names by path and checksum.
#pragma once

#include <filesystem>
#include <memory>

#include "attune/parameters.h"
#include "models/model_config.h"
#include "nn/low_rank.h"
#include "text/directions/direction.h"
#include "text/vocabulary/vocabularies.h"

namespace attune {

constexpr const char* kRunFile = "run.json";  // in the folder of a training run; names its best model

struct ModelFiles {
  std::filesystem::path path;  // of the folder
  std::shared_ptr<const ModelConfig> config;
  Vocabularies vocabularies;
  std::shared_ptr<const Parameters> parameters;
  std::shared_ptr<const Model> model;
  Entries decoding;  // defaults of options for decoding
  Entries training;  // a summary for readers

  // Of an adapter; null: the folder has all weights.
  std::shared_ptr<const ModelFiles> base = {};
  LowRank low_rank = {};

  std::shared_ptr<const void> once = {};  // whoever loads a folder that is in use gets what is in memory
};

// An adapter to be saved.
struct Adapter {
  std::filesystem::path base;  // the folder of a whole model
  std::string base_weights;    // their checksum
  Vocabularies vocabularies;   // of the base
  LowRank low_rank;
};
Adapter adapter_over(const ModelFiles& base, const LowRank& low_rank);  // a UsageError if it is one itself

// The folder appears whole, replacing one that was there. With an adapter, what is trained is saved.
void save_model_folder(const std::filesystem::path& path, const ModelConfig& config,
                       const Vocabularies& vocabularies, const Parameters& parameters,
                       const FieldList& decoding, const FieldList& training,
                       const Adapter* adapter = nullptr);

// Where the weights are kept: in the mapped file, which takes the least memory but must not be overwritten
// meanwhile; or in separate memory.
enum class WeightsIn : uint8_t { file, memory };

// A folder in which something is missing, damaged or from another model is a UsageError that says so. For the
// folder of a training run, loads its best model.
//
// A folder is in memory once: adapters over one base share it, with the forms that operations derive from it.
ModelFiles load_model_files(const std::filesystem::path& path, WeightsIn weights = WeightsIn::file);

// The same model with its adapter merged into its weights, W + alpha/r B A; others are returned as they are.
ModelFiles whole_model(const ModelFiles& model);

// Which weights these are, of an adapter and its base.
std::string weights_digest(const ModelFiles& model);

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
