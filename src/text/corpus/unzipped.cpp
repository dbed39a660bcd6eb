#include "text/corpus/unzipped.h"

#include <fmt/core.h>
#include <unistd.h>
#include <zlib.h>

#include "attune/error.h"
#include "base/check.h"

namespace attune {

Unzipped::Unzipped(Descriptor file, std::string path)
    : path_(std::move(path)), file_(std::move(file)), stream_(gzdopen(dup(file_.number()), "rb"), gzclose_r) {
  check(stream_ != nullptr, "{}: out of memory", path_);
}

size_t Unzipped::read(std::span<char> to) {
  const int got = gzread(stream_.get(), to.data(), static_cast<unsigned>(to.size()));
  int code = Z_OK;
  const char* message = gzerror(stream_.get(), &code);
  if (code == Z_BUF_ERROR) throw UsageError(path_ + ": the compressed file is incomplete; it was cut off");
  if (got < 0 || code != Z_OK)
    throw UsageError(fmt::format("{}: the compressed file is damaged ({})", path_, message));
  return static_cast<size_t>(got);
}

}  // namespace attune
