// TemporaryFile: an unnamed file in $TMPDIR that is written from beginning to end, and gone once it is
// closed.
#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace attune {

class TemporaryFile {
 public:
  TemporaryFile();

  void write(std::string_view bytes);
  Descriptor finish();  // all that was written

 private:
  void flush();

  std::string folder_, buffer_;
  Descriptor file_;
};

}  // namespace attune
