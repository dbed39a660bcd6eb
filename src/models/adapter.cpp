#include "models/adapter.h"

#include <fmt/core.h>

#include <map>

#include "attune/error.h"
#include "io/files/digest.h"
#include "io/weights.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

// The name of the other matrix beside `weight`, in the same layer.
std::string beside(std::string_view weight, const char* name) {
  return std::string(weight.substr(0, weight.rfind('.') + 1)) + name;
}

// All parameters of the network without adapters.
std::map<std::string, Tensor, std::less<>> merged_weights(const ModelFiles& model) {
  const Parameters& parameters = *model.parameters;
  std::map<std::string, Tensor, std::less<>> weights;
  for (const auto& [name, tensor, offset] : parameters.entries()) {
    if (name.ends_with(std::string(".") + kLowRankA) || name.ends_with(std::string(".") + kLowRankB))
      continue;
    const std::string a = beside(name, kLowRankA), b = beside(name, kLowRankB);
    const bool adapted = name.ends_with(".weight") && parameters.contains(a);
    weights[name] =
        adapted ? merged(tensor, {parameters.at(a), parameters.at(b), model.low_rank.factor()}) : tensor;
  }
  return weights;
}

}  // namespace

void AdapterSection::fields(FieldsOf<AdapterSection> f) {
  f("base", &AdapterSection::base, "folder of the base model, from this folder");
  f("base_weights", &AdapterSection::base_weights, "checksum of the base's weights");
  LowRank::fields(f.in(&AdapterSection::low_rank));
}

AdapterSection section_of(const Adapter& adapter, const fs::path& folder) {
  const fs::path from = fs::weakly_canonical(fs::absolute(folder)), to = fs::weakly_canonical(adapter.base);
  return {to.lexically_relative(from).string(), adapter.base_weights, adapter.low_rank};
}

Adapter adapter_over(const ModelFiles& base, const LowRank& low_rank) {
  if (base.base != nullptr)
    throw UsageError(
        fmt::format("{0}: this is an adapter itself; make a whole model of it first: attune convert {0} "
                    "WHOLE --to attune",
                    base.path.string()));
  return {base.path, weights_digest(base), base.vocabularies, low_rank};
}

std::shared_ptr<const ModelFiles> load_base(const fs::path& folder, const AdapterSection& adapter,
                                            WeightsIn weights) {
  const fs::path path = (fs::canonical(folder) / adapter.base).lexically_normal();
  if (!fs::is_directory(path))
    throw UsageError(
        fmt::format("{}: this is an adapter of the model {}, which is not there; write where it is into "
                    "config.json (`base`, from this folder)",
                    folder.string(), path.string()));
  if (fs::exists(folder_of_model(path) / kAdapterFile))
    throw UsageError(fmt::format("{}: its base {} is an adapter itself, not a whole model", folder.string(),
                                 path.string()));
  auto base = std::make_shared<const ModelFiles>(load_model_files(path, weights));
  if (weights_digest(*base) != adapter.base_weights)
    throw UsageError(
        fmt::format("{}: this adapter was trained over other weights than those that are in {} now ({}, not "
                    "{}); it works with these alone",
                    folder.string(), path.string(), weights_digest(*base), adapter.base_weights));
  return base;
}

ParameterSource adapted_weights(const SafeTensors& file, const ModelFiles& base) {
  return [file, own = file_weights(file), base = base.parameters](std::string_view name, const Shape& shape,
                                                                  DType dtype) {
    const bool of_base =
        !file.tensors().contains(name) && base->contains(name) && base->at(name).shape() == shape;
    return of_base ? base->at(name) : own(name, shape, dtype);
  };
}

std::string weights_digest(const ModelFiles& model) {
  if (model.base == nullptr) return file_digest(model.path / kWeightsFile);
  return fmt::format("{} over {}", file_digest(model.path / kAdapterFile), weights_digest(*model.base));
}

ModelFiles whole_model(const ModelFiles& model) {
  if (model.base == nullptr) return model;
  const auto weights = merged_weights(model);
  ModelFiles whole = model;
  const auto parameters = std::make_shared<Parameters>(
      [&](std::string_view name, const Shape&, DType) { return weights.at(std::string(name)); });
  whole.model = model.config->make(Scope(*parameters, Random(0)), words_of(model.vocabularies));
  whole.parameters = parameters;
  whole.base = nullptr;
  whole.low_rank = {};
  return whole;
}

}  // namespace attune
