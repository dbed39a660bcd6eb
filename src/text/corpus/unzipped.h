// Unzipped: the bytes of a file or pipe in sequence, decompressed if it is a gzip file.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/descriptor.h"

struct gzFile_s;

namespace attune {

class Unzipped {
 public:
  Unzipped(Descriptor file, std::string path);

  // The number of bytes read; 0 at the end. A damaged or truncated file is a UsageError.
  size_t read(std::span<char> to);

 private:
  std::string path_;
  Descriptor file_;
  std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> stream_;
};

}  // namespace attune
