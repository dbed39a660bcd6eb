#include "text/bytes/temporary_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/check.h"

namespace attune {
namespace {

constexpr size_t kBuffer = 1 << 18;

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

}  // namespace

TemporaryFile::TemporaryFile() : folder_(temporary_folder()) {
  std::string name = folder_ + "/attune-XXXXXX";
  file_ = Descriptor(mkstemp(name.data()));
  if (!file_)
    fail("{}: cannot create a temporary file in this folder: {}; set TMPDIR to a folder with enough space",
         folder_, std::generic_category().message(errno));
  unlink(name.c_str());
}

void TemporaryFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBuffer) flush();
}

void TemporaryFile::flush() {
  for (std::string_view left = buffer_; !left.empty();) {
    const ssize_t written = ::write(file_.number(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      fail("{}: cannot copy text to this folder: {}; set TMPDIR to a folder with enough space", folder_,
           std::generic_category().message(errno));
    left.remove_prefix(static_cast<size_t>(written));
  }
  buffer_.clear();
}

Descriptor TemporaryFile::finish() {
  flush();
  return std::move(file_);
}

}  // namespace attune
