#include "attune/parameters.h"

#include <algorithm>
#include <cstring>

#include "attune/autograd.h"
#include "base/check.h"
#include "tensor/constants.h"
#include "tensor/format.h"
#include "tensor/quantized.h"

namespace attune {
namespace {

constexpr int64_t kAlignment = 16;  // elements

void move_into(const Tensor& flat, const Tensor& tensor, int64_t offset) {
  Storage& storage = *tensor.storage();
  std::byte* place = flat.storage()->memory + static_cast<size_t>(offset) * bytes_of(flat.dtype());
  std::memcpy(place, storage.memory, storage.bytes);
  storage.move_to(place, flat.storage());
}

}  // namespace

Parameters::Parameters(ParameterSource source, DType dtype)
    : source_(std::move(source)), kept_(std::make_shared<Kept>()), dtype_(dtype) {}

Tensor Parameters::add(std::string_view name, const Shape& shape,
                       const std::function<void(const Tensor&)>& fill) {
  check(!values_, "Parameters: '{}' was added after training had begun", name);
  check(!contains(name), "Parameters: the name '{}' is used twice", name);
  if (const Tensor given = source_ ? source_(name, shape, dtype_) : Tensor()) {
    check(given.shape() == shape && (given.dtype() == dtype_ || (is_narrow(given) && dtype_ == DType::f32)),
          "Parameters: '{}' should be {} {}, but {} {} was given", name, dtype_, shape, given.dtype(),
          given.shape());
    if (!given.storage()->kept) given.storage()->kept = kept_;  // forms are shared with other users
    return entries_.emplace_back(Entry{std::string(name), given}).tensor;
  }
  entries_.push_back({std::string(name), leaf(Tensor::zeros(shape, dtype_)), flat_size_});
  if (fill) fill(entries_.back().tensor);
  flat_size_ += (shape.size() + kAlignment - 1) / kAlignment * kAlignment;
  return entries_.back().tensor;
}

bool Parameters::contains(std::string_view name) const {
  return std::ranges::find(entries_, name, &Entry::name) != entries_.end();
}

const Tensor& Parameters::at(std::string_view name) const {
  const auto entry = std::ranges::find(entries_, name, &Entry::name);
  check(entry != entries_.end(), "Parameters: '{}' does not exist", name);
  return entry->tensor;
}

int64_t Parameters::count() const {
  int64_t count = 0;
  for (const auto& entry : entries_) count += entry.tensor.size();
  return count;
}

int64_t Parameters::trained_count() const {
  int64_t count = 0;
  for (const auto& entry : entries_) count += entry.trained() ? entry.tensor.size() : 0;
  return count;
}

void Parameters::gather() {
  if (values_) return;
  check(!source_ || flat_size_ > 0, "Parameters: loaded parameters cannot be trained");
  values_ = Tensor::zeros({flat_size_}, dtype_);
  gradients_ = Tensor::zeros({flat_size_}, dtype_);
  for (const auto& entry : entries_) {
    if (!entry.trained()) continue;
    move_into(values_, entry.tensor, entry.offset);
    move_into(gradients_, leaf_gradient(entry.tensor), entry.offset);
  }
}

const Tensor& Parameters::values() {
  gather();
  return values_;
}

const Tensor& Parameters::gradients() {
  gather();
  return gradients_;
}

void Parameters::zero_gradients() { gradients().fill(0); }

}  // namespace attune
