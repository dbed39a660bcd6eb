// A file that grows by whole records.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "base/descriptor.h"

namespace attune {

class AppendFile {
 public:
  explicit AppendFile(std::filesystem::path path);

  // Readers see the record at once. After an Error (a full disk) it is not there, nor a part of it.
  void append(std::span<const std::byte> record);

 private:
  std::filesystem::path path_;
  Descriptor file_;
  size_t size_ = 0;
};

}  // namespace attune
