// Which files belong to a Marian model: Marian's decoder.yml names them, or they lie in one folder.
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "convert/convert.h"
#include "convert/marian/vocabulary.h"

namespace attune::marian {

// A .npz, or a folder that has one.
bool is_model(const std::filesystem::path& path);

// The models (.npz) that a file or folder stands for, each with its vocabularies: several are an ensemble.
std::vector<ImportSource> models_of(const ImportSource& source);

// The vocabularies of source and target, from one or two .spm, one or two lists of ids, or both.
std::pair<VocabularyFiles, VocabularyFiles> sides_of(const std::vector<std::filesystem::path>& files);

}  // namespace attune::marian
