#include "train/pretrained.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "attune/error.h"
#include "io/weights.h"
#include "models/model_files.h"
#include "tensor/quantized.h"

namespace attune {

std::string take_pretrained(const std::string& folder, const Parameters& parameters) {
  const ModelFiles model = load_model_files(folder);
  if (any_narrow(*model.parameters))
    throw UsageError(
        fmt::format("{}: this model is quantised, and weights of 8 or 16 bits cannot be trained further: "
                    "give the model that it was made from",
                    model.path.string()));
  const SharedWeights weights = load_weights(SafeTensors::read(model.path / kWeightsFile), parameters);
  std::string text = fmt::format("starting from {}", model.path.string());
  if (!weights.fresh.empty()) text += fmt::format("; new: {}", fmt::join(weights.fresh, ", "));
  if (!weights.left.empty()) text += fmt::format("; not used: {}", fmt::join(weights.left, ", "));
  return text;
}

}  // namespace attune
