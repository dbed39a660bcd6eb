// Named arrays: NumPy's .npz, a zip archive of .npy files. The file is mapped; an array is unpacked and
// converted when it is asked for, or stays where it is to be read in parts.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "attune/tensor.h"
#include "io/arrays/npy.h"
#include "io/arrays/zip.h"
#include "io/files/file.h"

namespace attune {

class Npz {
 public:
  explicit Npz(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_->path(); }
  const std::map<std::string, ZipEntry, std::less<>>& arrays() const { return arrays_; }  // without ".npy"
  bool contains(std::string_view name) const { return arrays_.contains(name); }

  // A UsageError if there is no such array, or if it is damaged.
  Tensor tensor(std::string_view name) const;
  // Where its numbers are; `file` is this one or, for a compressed array, a temporary one.
  struct Place {
    Descriptor file;
    uint64_t begin = 0;
    NpyArray array = {};  // without its numbers
  };
  Place place(std::string_view name) const;
  // The bytes of an array of bytes, up to the first NUL.
  std::string text(std::string_view name) const;

 private:
  struct Opened {
    std::string name;  // for messages
    ZipContent content;
    NpyArray array;
  };
  const ZipEntry& entry(std::string_view name) const;
  Opened open(std::string_view name) const;

  std::shared_ptr<const FileBytes> file_;
  std::map<std::string, ZipEntry, std::less<>> arrays_;
};

}  // namespace attune
