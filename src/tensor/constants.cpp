#include "tensor/constants.h"

#include <sys/mman.h>
#include <unistd.h>

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
    if (!entry.trained()) continue;
    storages_.push_back(entry.tensor.storage());
    storages_.back()->kept = kept;
  }
}

Frozen::~Frozen() {
  for (const auto& storage : storages_) storage->kept.reset();
}

// Only whole pages: those at the ends are shared with neighbours.
void give_back_pages(const Tensor& tensor) {
  if (!tensor.storage()->of_file || !tensor.contiguous()) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(begin_of(tensor)),
             end = begin + static_cast<size_t>(tensor.size()) * bytes_of(tensor.dtype());
  const uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace attune
