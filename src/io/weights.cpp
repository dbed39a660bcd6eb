#include "io/weights.h"

#include <fmt/core.h>

#include <vector>

#include "attune/error.h"
#include "io/safetensors_header.h"
#include "tensor/quantized.h"

namespace attune {
namespace {

constexpr size_t kShown = 5;

// The scales of a quantised matrix `X` are the tensor `X.scale`.
constexpr std::string_view kScale = ".scale";

bool fits(const SafeTensors::Info& info, const Shape& shape, DType dtype) {
  return info.shape == shape && SafeTensors::dtype_of(info) == dtype;
}

// f32 if the file has a matrix of that shape in 8 bits with its scales.
bool has_quantized(const SafeTensors& file, std::string_view name, const Shape& shape) {
  const auto numbers = file.tensors().find(name),
             scales = file.tensors().find(std::string(name) + std::string(kScale));
  return shape.rank() == 2 && numbers != file.tensors().end() && scales != file.tensors().end() &&
         fits(numbers->second, shape, DType::i8) && fits(scales->second, {shape.rows()}, DType::f32);
}

std::string misfit(std::string_view name, const SafeTensors::Info& info, const Shape& shape, DType dtype) {
  return fmt::format("'{}' is {} {}, but the model has {} {}", name, info.type, info.shape.str(),
                     safetensors::type_of(dtype), shape.str());
}

std::string missing(std::string_view name, const Shape& shape) {
  return fmt::format("'{}' {} is missing", name, shape.str());
}

[[noreturn]] void refuse(const std::string& name, const std::vector<std::string>& differences) {
  std::string text = name + ": these are not the weights of this model:";
  for (size_t i = 0; i < differences.size() && i < kShown; ++i) text += "\n  " + differences[i];
  if (differences.size() > kShown) text += fmt::format("\n  and {} more", differences.size() - kShown);
  throw UsageError(
      text +
      "\nWeights, configuration and vocabulary belong together: take all of them from the folder of one "
      "model, and do not change the sizes in the configuration of a trained model.");
}

}  // namespace

void save_weights(const std::filesystem::path& path, const Parameters& parameters, SavedParameters which) {
  std::vector<NamedTensor> tensors;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const auto& [name, tensor, offset] = entry;
    if (which == SavedParameters::trained && !entry.trained()) continue;
    tensors.push_back({name, tensor.detach()});
    if (is_quantized(tensor))
      tensors.push_back({name + std::string(kScale), Tensor::of<float>({tensor.rows()}, row_scales(tensor))});
  }
  write_safetensors(path, tensors);
}

void check_weights(const SafeTensors& file, const Parameters& parameters, const Parameters* base) {
  const auto of_base = [&](const std::string& name, const Tensor& tensor) {
    return base != nullptr && base->contains(name) && base->at(name).storage() == tensor.storage();
  };
  std::vector<std::string> differences;
  for (const auto& [name, tensor, offset] : parameters.entries()) {
    const auto found = file.tensors().find(name);
    if (found == file.tensors().end() && of_base(name, tensor)) continue;
    if (found == file.tensors().end())
      differences.push_back(missing(name, tensor.shape()));
    else if (!fits(found->second, tensor.shape(), tensor.dtype()))
      differences.push_back(misfit(name, found->second, tensor.shape(), tensor.dtype()));
  }
  const auto is_scale = [&](std::string_view name) {
    if (!name.ends_with(kScale)) return false;
    name.remove_suffix(kScale.size());
    return parameters.contains(name) && is_quantized(parameters.at(name));
  };
  for (const auto& [name, info] : file.tensors())
    if (!parameters.contains(name) && !is_scale(name))
      differences.push_back(fmt::format("'{}' {} is not part of the model", name, info.shape.str()));
  if (!differences.empty()) refuse(file.path().string(), differences);
}

SharedWeights load_weights(const Parameters& from, const std::string& name, const Parameters& parameters) {
  SharedWeights weights;
  std::vector<std::string> differences;
  for (const Parameters::Entry& entry : parameters.entries()) {
    if (!entry.trained()) continue;
    if (!from.contains(entry.name)) {
      weights.fresh.push_back(entry.name);
      continue;
    }
    weights.taken.push_back(entry.name);
    if (const Tensor& other = from.at(entry.name);
        other.shape() != entry.tensor.shape() || other.dtype() != entry.tensor.dtype())
      differences.push_back(fmt::format(
          "'{}' is {} {}, but the model has {} {}", entry.name, safetensors::type_of(other.dtype()),
          other.shape().str(), safetensors::type_of(entry.tensor.dtype()), entry.tensor.shape().str()));
  }
  for (const Parameters::Entry& entry : from.entries())
    if (!parameters.contains(entry.name)) weights.left.push_back(entry.name);
  if (weights.left.size() == from.entries().size())
    differences.emplace_back("no parameter has a name that the model knows");
  if (!differences.empty()) refuse(name, differences);
  for (const std::string& taken : weights.taken) parameters.at(taken).copy_from(from.at(taken));
  return weights;
}

// Tensors that do not fit are replaced by zeros, so that check_weights() can list all differences; but not if
// these zeros would need more memory than the file has: a damaged configuration must not exhaust the
// memory.
ParameterSource file_weights(const SafeTensors& file) {
  return [file](std::string_view name, const Shape& shape, DType dtype) {
    const auto found = file.tensors().find(name);
    const bool there = found != file.tensors().end();
    if (there && fits(found->second, shape, dtype)) return file.tensor(name);
    if (dtype == DType::f32 && has_quantized(file, name, shape))
      return quantized(file.tensor(name), file.tensor(std::string(name) + std::string(kScale)));
    if (static_cast<size_t>(shape.size()) * bytes_of(dtype) > file.bytes())
      refuse(file.path().string(),
             {there ? misfit(name, found->second, shape, dtype) : missing(name, shape)});
    return Tensor::zeros(shape, dtype);
  };
}

}  // namespace attune
