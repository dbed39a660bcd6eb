// Unzipped: the bytes of a file or pipe one after the other, without gzip's compression where there is one.
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

  // How many bytes came; 0 at the end. What is damaged or cut off is a UsageError.
  size_t read(std::span<char> to);

 private:
  std::string path_;
  Descriptor file_;
  std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> stream_;
};

}  // namespace attune
