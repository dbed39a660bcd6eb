#include "io/arrays/npz.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attune/error.h"

namespace attune {
namespace {

// Returns whole pages of a mapped file to the system; they are read again if they are needed.
void give_back_pages(std::span<const std::byte> bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data()), end = begin + bytes.size();
  const uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace

Npz::Npz(const std::filesystem::path& path) : file_(FileBytes::map(path)) {
  for (ZipEntry& entry : zip_entries(file_->bytes(), path.string())) {
    std::string name = entry.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    if (!arrays_.emplace(name, std::move(entry)).second)
      throw UsageError(fmt::format("{}: there are two arrays called '{}'", path.string(), name));
  }
}

Npz::Opened Npz::open(std::string_view name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end())
    throw UsageError(fmt::format("{}: there is no array '{}'", path().string(), name));
  Opened opened{fmt::format("{}: '{}'", path().string(), name),
                zip_content(file_->bytes(), found->second, path().string()),
                {}};
  opened.array = parse_npy(opened.content.bytes, opened.name);
  return opened;
}

Tensor Npz::tensor(std::string_view name) const {
  const Opened opened = open(name);
  Tensor tensor = tensor_of(opened.array, opened.name);
  if (opened.content.unpacked.empty()) give_back_pages(opened.content.bytes);  // there is a copy now
  return tensor;
}

std::string Npz::text(std::string_view name) const {
  const Opened opened = open(name);
  if (opened.array.type != NpyType::i1 && opened.array.type != NpyType::u1)
    throw UsageError(fmt::format("{} should be an array of bytes", opened.name));
  const std::string text(reinterpret_cast<const char*>(opened.array.numbers.data()),
                         opened.array.numbers.size());
  return text.substr(0, text.find('\0'));
}

}  // namespace attune
