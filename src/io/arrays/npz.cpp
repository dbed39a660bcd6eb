#include "io/arrays/npz.h"

#include <fmt/core.h>

#include "attune/error.h"
#include "io/files/parts.h"

namespace attune {
Npz::Npz(const std::filesystem::path& path) : file_(FileBytes::map(path)) {
  for (ZipEntry& entry : zip_entries(file_->bytes(), path.string())) {
    std::string name = entry.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    if (!arrays_.emplace(name, std::move(entry)).second)
      throw UsageError(fmt::format("{}: there are two arrays called '{}'", path.string(), name));
  }
}

const ZipEntry& Npz::entry(std::string_view name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end())
    throw UsageError(fmt::format("{}: there is no array '{}'", path().string(), name));
  return found->second;
}

Npz::Opened Npz::open(std::string_view name) const {
  Opened opened{fmt::format("{}: '{}'", path().string(), name),
                zip_content(file_->bytes(), entry(name), path().string()),
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

Npz::Place Npz::place(std::string_view name) const {
  const ZipEntry& packed = entry(name);
  const std::string title = fmt::format("{}: '{}'", path().string(), name);
  Place place;
  const auto parsed = [&](std::span<const std::byte> bytes, const std::byte* file) {
    place.array = parse_npy(bytes, title);
    place.begin = static_cast<uint64_t>(place.array.numbers.data() - file);
    place.array.numbers = {};
  };
  if (packed.deflated) {
    place.file = nameless_file();
    unpack_zip(file_->bytes(), packed, path().string(),
               [&](auto piece) { write_all(place.file, piece, std::filesystem::temp_directory_path()); });
    const auto unpacked = FileBytes::map(fmt::format("/proc/self/fd/{}", place.file.number()));
    parsed(unpacked->bytes(), unpacked->bytes().data());
  } else {
    const std::byte* begin = nullptr;
    unpack_zip(file_->bytes(), packed, path().string(), [&](auto piece) {  // for its checksum
      if (begin == nullptr) begin = piece.data();
      give_back_pages(piece);
    });
    place.file = open_to_read(path());
    parsed({begin, static_cast<size_t>(packed.size)}, file_->bytes().data());
  }
  return place;
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
