#include "tensor/constants.h"

#include "tensor/dispatch.h"

namespace attune {
namespace {

std::byte* begin_of(const Tensor& tensor) {
  return dispatch_any(tensor.dtype(),
                      [&]<class T>() { return reinterpret_cast<std::byte*>(tensor.data<T>()); });
}

}  // namespace

Kept::Place Kept::place_of(const Tensor& tensor) {
  return {begin_of(tensor), tensor.rows(), tensor.columns(), tensor.row_stride()};
}

Frozen::Frozen(const Parameters& parameters) {
  const auto kept = std::make_shared<Kept>();
  for (const auto& entry : parameters.entries()) {
    storages_.push_back(entry.tensor.storage());
    storages_.back()->kept = kept;
  }
}

Frozen::~Frozen() {
  for (const auto& storage : storages_) storage->kept.reset();
}

}  // namespace attune
