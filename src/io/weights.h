// The parameters of a model as a file: `weights.safetensors`. A matrix is F32, or I8 with a scale a row in a
// tensor of its own: `X` and `X.scale`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "attune/parameters.h"
#include "io/safetensors.h"

namespace attune {

constexpr const char* kWeightsFile = "weights.safetensors";  // of a model folder

void save_weights(const std::filesystem::path& path, const Parameters& parameters,
                  const Metadata& metadata = {});

// Copies into parameters that exist the numbers of those that the file has too; so a classifier can take over
// what a language model has learnt. A UsageError if any has another shape or type, or nothing is shared;
// nothing is copied then. For "exactly these weights", check_weights() first.
struct SharedWeights {
  std::vector<std::string> taken, fresh, left;  // in both, in the parameters alone, in the file alone
};
SharedWeights load_weights(const SafeTensors& file, const Parameters& parameters);

// Parameters that are the bytes of the file as they were read: Parameters(file_weights(file)). Call
// check_weights() once the model is built: what does not fit is zeros until then.
ParameterSource file_weights(const SafeTensors& file);

// A UsageError with the first few differences, unless the file has every parameter in its shape and type and
// nothing else.
void check_weights(const SafeTensors& file, const Parameters& parameters);

}  // namespace attune
