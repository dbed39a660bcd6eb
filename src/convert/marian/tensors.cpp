#include "convert/marian/tensors.h"

#include <fmt/core.h>

#include <algorithm>

#include "attune/error.h"
#include "convert/matrices.h"

namespace attune::marian {

Tensors::Tensors(const std::filesystem::path& path, ImportProgress progress)
    : file_(path), progress_(std::move(progress)) {
  constexpr double kMostPacked = 1100;  // how often zip's method can shorten bytes, at most
  for (const auto& [name, entry] : file_.arrays())
    bytes_ += std::min(static_cast<double>(entry.size), kMostPacked * static_cast<double>(entry.packed));
}

void Tensors::took(const std::string& stored) {
  if (!taken_.insert(stored).second || !progress_) return;
  taken_bytes_ += static_cast<double>(file_.arrays().find(stored)->second.size);
  progress_(taken_bytes_ / bytes_);
}

std::string Tensors::stored(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::string(name) : found->second;
}

std::string Tensors::config() const {
  if (!file_.contains(kConfigArray))
    throw UsageError(fmt::format("{}: there is no array '{}', so this is not a model of Marian 1.0 or later",
                                 path().string(), kConfigArray));
  return file_.text(kConfigArray);
}

Tensor Tensors::matrix(std::string_view name) {
  const std::string there = stored(name);
  const Tensor tensor = file_.tensor(there);
  if (tensor.shape().rank() != 2)
    throw UsageError(fmt::format("{}: '{}' should be a matrix, but has the shape {}", path().string(), there,
                                 tensor.shape().str()));
  took(there);
  return tensor;
}

Tensor Tensors::transposed(std::string_view name) { return transposed_matrix(matrix(name)); }

Tensor Tensors::vector(std::string_view name) {
  const std::string there = stored(name);
  const Tensor tensor = file_.tensor(there);
  if (tensor.rows() != 1)
    throw UsageError(fmt::format("{}: '{}' should be a vector, but has the shape {}", path().string(), there,
                                 tensor.shape().str()));
  took(there);
  return tensor.view({tensor.size()});
}

void Tensors::require_all_taken() const {
  for (const auto& [name, entry] : file_.arrays())
    if (name != kConfigArray && !taken_.contains(name))
      throw UsageError(fmt::format("{}: the array '{}' is not a part of the network that '{}' describes",
                                   path().string(), name, kConfigArray));
}

}  // namespace attune::marian
