// A file that grows by whole records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>

#include "base/descriptor.h"

namespace attune {

class AppendFile {
 public:
  // Continues a file, or makes it. Everything after the first `most` bytes is cut off.
  explicit AppendFile(std::filesystem::path path, int64_t most = std::numeric_limits<int64_t>::max());

  // Readers see the record at once. After an Error (a full disk) no part of it is in the file.
  void append(std::span<const std::byte> record);
  void sync() const;  // all records are on disk when it returns

  int64_t size() const { return size_; }  // bytes

 private:
  void cut(int64_t size) const;

  std::filesystem::path path_;
  Descriptor file_;
  int64_t size_ = 0;
};

}  // namespace attune
