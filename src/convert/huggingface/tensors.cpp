#include "convert/huggingface/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "attune/error.h"
#include "convert/matrices.h"
#include "tensor/constants.h"
#include "text/tokenizer/json_fields.h"

namespace attune::huggingface {
namespace {

namespace fs = std::filesystem;

constexpr const char *kWeights = "model.safetensors", *kIndex = "model.safetensors.index.json";

[[noreturn]] void refuse_folder(const fs::path& folder) {
  for (const char* pickle : {"pytorch_model.bin", "pytorch_model.bin.index.json"})
    if (fs::exists(folder / pickle))
      throw UsageError(fmt::format(
          "{}: its weights are a pickle ({}), which can run any program when it is read, so attune does not; "
          "make safetensors of it with Python: from transformers import AutoModel, AutoConfig; import "
          "transformers; c = AutoConfig.from_pretrained('{}'); getattr(transformers, "
          "c.architectures[0]).from_pretrained('{}').save_pretrained('{}', safe_serialization=True)",
          folder.string(), pickle, folder.string(), folder.string(), folder.string()));
  throw UsageError(fmt::format("{}: there is no {} and no {}", folder.string(), kWeights, kIndex));
}

}  // namespace

void add_linear(Parts& parts, const std::string& ours, const std::vector<std::string>& theirs,
                bool transposed) {
  for (const char* kind : {".weight", ".bias"}) {
    Part part{ours + kind, {}, transposed && std::string_view(kind) == ".weight"};
    for (const std::string& name : theirs) part.theirs.push_back(name + kind);
    parts.push_back(std::move(part));
  }
}

void add_norm(Parts& parts, const std::string& ours, const std::string& theirs) {
  parts.push_back({ours + ".gamma", {theirs + ".weight"}});
  parts.push_back({ours + ".beta", {theirs + ".bias"}});
}

Tensors::Tensors(const fs::path& folder, ImportProgress progress)
    : folder_(folder), progress_(std::move(progress)) {
  if (fs::exists(folder / kWeights)) {
    add(folder / kWeights);
    return;
  }
  const fs::path index = folder / kIndex;
  if (!fs::exists(index)) refuse_folder(folder);
  const nlohmann::json content = parse_json(read_file(index), index.string());
  const JsonFields fields(content, index.string());
  const nlohmann::json& map = fields.required("weight_map");
  if (!map.is_object()) fields.refuse("weight_map", "it should say in which file each tensor is");
  std::set<std::string> names;
  for (const auto& [tensor, file] : map.items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (name.empty() || fs::path(name).filename() != name)
      fields.refuse("weight_map", fmt::format("the file of '{}' should be one in this folder", tensor));
    names.insert(name);
  }
  for (const std::string& name : names) add(folder / name);
  for (const auto& [tensor, file] : map.items())
    if (!places_.contains(tensor))
      fields.refuse("weight_map", fmt::format("'{}' is in none of the files", tensor));
}

void Tensors::add(const fs::path& file) {
  files_.push_back(SafeTensors::map(file));
  for (const auto& [name, info] : files_.back().tensors())
    if (!places_.emplace(name, Place{files_.size() - 1, name}).second)
      throw UsageError(fmt::format("{}: '{}' is also in another file", file.string(), name));
}

template <class Rename>
void Tensors::rename(const Rename& known_as) {
  std::map<std::string, Place, std::less<>> renamed;
  for (const auto& [name, place] : places_) {
    const std::string known = known_as(name);
    if (!renamed.emplace(known, place).second)
      throw UsageError(fmt::format("{}: the tensor '{}' is there twice, once under an older name",
                                   folder_.string(), known));
  }
  places_ = std::move(renamed);
}

void Tensors::drop_prefix(std::string_view prefix) {
  rename(
      [&](const std::string& name) { return name.starts_with(prefix) ? name.substr(prefix.size()) : name; });
}

void Tensors::rename_end(std::string_view old, std::string_view now) {
  rename([&](const std::string& name) {
    return name.ends_with(old) ? name.substr(0, name.size() - old.size()) + std::string(now) : name;
  });
}

Tensor Tensors::take(std::string_view name) {
  const auto found = places_.find(name);
  if (found == places_.end())
    throw UsageError(
        fmt::format("{}: there is no tensor '{}', which such a model needs", folder_.string(), name));
  taken_.emplace(name);
  if (progress_) progress_(static_cast<double>(taken_.size()) / static_cast<double>(places_.size()));
  return files_[found->second.file].floats(found->second.name);
}

Tensor Tensors::take(const Part& part) {
  std::vector<Tensor> tensors;
  for (const std::string& name : part.theirs) {
    Tensor tensor = take(name);
    if (part.transposed && tensor.shape().rank() != 2)
      throw UsageError(fmt::format("{}: '{}' should be a matrix, but has the shape {}", folder_.string(),
                                   name, tensor.shape().str()));
    tensors.push_back(part.transposed ? transposed_matrix(tensor) : tensor);
    if (part.transposed) give_back_pages(tensor);  // there is a copy now
    if (tensors.back().shape() != tensors[0].shape())
      throw UsageError(fmt::format("{}: '{}' has the shape {}, but '{}' has {}", folder_.string(), name,
                                   tensors.back().shape().str(), part.theirs[0], tensors[0].shape().str()));
  }
  if (tensors.size() == 1) return tensors[0];
  Tensor all = joined(tensors);
  for (const Tensor& tensor : tensors) give_back_pages(tensor);
  return all;
}

void Tensors::take_all(const Parts& parts, Weights& to) {
  for (const Part& part : parts) to[part.ours] = take(part);
}

void Tensors::ignore_begin(std::string_view begin) {
  for (const auto& [name, place] : places_)
    if (name.starts_with(begin)) ignore(name);
}

void Tensors::ignore_end(std::string_view end) {
  for (const auto& [name, place] : places_)
    if (name.ends_with(end)) ignore(name);
}

void Tensors::require_all_taken() const {
  for (const auto& [name, place] : places_)
    if (!taken_.contains(name) && !ignored_.contains(name))
      throw UsageError(
          fmt::format("{}: the tensor '{}' is not a part of the network that config.json describes",
                      folder_.string(), name));
}

std::string Tensors::about() const {
  std::set<std::string> types;
  for (const SafeTensors& file : files_)
    for (const auto& [name, info] : file.tensors()) types.insert(info.type);
  return fmt::format("{} tensors in {}, {}", places_.size(),
                     files_.size() == 1 ? "one file" : fmt::format("{} files", files_.size()),
                     fmt::join(types, " and "));
}

}  // namespace attune::huggingface
