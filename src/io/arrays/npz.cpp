#include "io/arrays/npz.h"

#include <fmt/core.h>

#include "attune/error.h"

namespace attune {

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
  return tensor_of(opened.array, opened.name);
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
