#include "vectors/table_files.h"

#include <fmt/core.h>

#include "attune/error.h"

namespace attune {
namespace {

constexpr size_t kMostNumbers = size_t{1} << 26, kMostFiles = 128;  // that are kept

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw UsageError(fmt::format("{}: {}", name, what));
}

bool is_array(const std::string& path) {
  return path.ends_with(".npy") || path.ends_with(".npz") || path.ends_with(".safetensors");
}

}  // namespace

RowFile& TableFiles::opened(const FilePart& part) const {
  const std::string key = part.path + ":" + part.array;
  if (const auto found = open_.find(key); found != open_.end()) return *found->second;
  auto file = is_array(part.path) ? open_array(part) : open_text_table(part.path, times_);
  return *open_.emplace(key, std::move(file)).first->second;
}

void TableFiles::make_room() const {
  size_t numbers = 0;
  for (const auto& [key, file] : open_) numbers += file->kept();
  if (numbers > kMostNumbers || open_.size() > kMostFiles) open_.clear();
}

Vectors TableFiles::read(const FilePart& part) const {
  const std::scoped_lock lock(mutex_);
  RowFile& file = opened(part);
  const int64_t rows = file.rows(), width = file.width(), block = file.block();
  int64_t first = part.first.value_or(0), last = part.last.value_or(rows);
  if (part.number) {
    if (block == 0)
      refuse(part.path,
             fmt::format("sample {} of it was asked for, but it is one table; write FIRST-LAST for "
                         "some of its rows",
                         *part.number));
    if (*part.number >= rows / block)
      refuse(part.path, fmt::format("there is no sample {}; it has {}", *part.number, rows / block));
    first = *part.number * block;
    last = first + block;
  } else if (block > 0) {
    refuse(part.path, fmt::format("it has {} samples; write which one: {}:0", rows / block, part.path));
  }
  if (last > rows) refuse(part.path, fmt::format("there is no row {}; it has {}", last - 1, rows));
  Vectors read{last - first, width, file.read(first, last)};
  make_room();
  return read;
}

}  // namespace attune
