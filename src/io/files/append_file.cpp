#include "io/files/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "attune/error.h"

namespace attune {

AppendFile::AppendFile(std::filesystem::path path, int64_t most) : path_(std::move(path)) {
  file_ = Descriptor(open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  struct stat about {};
  if (!file_ || fstat(file_.number(), &about) != 0) fail_at(path_, "write", errno);
  size_ = std::min<int64_t>(about.st_size, most);
  if (size_ < about.st_size) cut(size_);
  sync_directory(directory_of(path_));
}

void AppendFile::cut(int64_t size) const {
  if (ftruncate(file_.number(), static_cast<off_t>(size)) != 0) fail_at(path_, "shorten", errno);
}

void AppendFile::append(std::span<const std::byte> record) {
  try {
    write_all(file_, record, path_);
  } catch (const Error&) {
    (void)!ftruncate(file_.number(), static_cast<off_t>(size_));
    throw;
  }
  size_ += static_cast<int64_t>(record.size());
}

void AppendFile::sync() const { attune::sync(file_, path_); }

}  // namespace attune
