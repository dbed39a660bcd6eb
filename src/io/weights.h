// The parameters of a model as a file: `weights.safetensors`. A matrix is F32, or I8 with one scale per row
// in a separate tensor: `X` and `X.scale`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "attune/parameters.h"
#include "io/safetensors.h"

namespace attune {

constexpr const char* kWeightsFile = "weights.safetensors";  // of a model folder

enum class SavedParameters : uint8_t { all, trained };
void save_weights(const std::filesystem::path& path, const Parameters& parameters,
                  SavedParameters which = SavedParameters::all);

// Copies the numbers of all parameters that another model has, too, unless they are constants; so a
// classifier can take over what a language model has learnt. A UsageError that begins with `name`, and
// nothing is copied, if one has another shape or type or if none is shared.
struct SharedWeights {
  std::vector<std::string> taken, fresh, left;  // in both, only in the parameters, only in the other model
};
SharedWeights load_weights(const Parameters& from, const std::string& name, const Parameters& parameters);

// Parameters that are views of the file's bytes: Parameters(file_weights(file)). Call check_weights() once
// the model is built: until then, zeros stand for what does not fit.
ParameterSource file_weights(const SafeTensors& file);

// A UsageError with the first few differences, unless the file has exactly these parameters, with their
// shapes and types. Those that are tensors of `base` need not be in the file.
void check_weights(const SafeTensors& file, const Parameters& parameters, const Parameters* base = nullptr);

}  // namespace attune
