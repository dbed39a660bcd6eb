#include "base/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/check.h"

namespace attune {
namespace {

std::string_view advice(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT: return "; free some space or choose another folder. What was there before is unchanged";
    case EFBIG: return "; the limit on the size of files (ulimit -f) is too low";
    case EACCES:
    case EPERM:
    case EROFS: return "; choose a folder that you may write to";
    case ENOENT: return "; does the folder exist?";
    default: return "";
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

void fail_at(const std::filesystem::path& path, std::string_view verb, int code) {
  fail("{}: cannot {} it: {}{}", path.string(), verb, std::generic_category().message(code), advice(code));
}

Descriptor open_to_read(const std::filesystem::path& path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file)
    throw UsageError(
        fmt::format("{}: cannot open it: {}", path.string(), std::generic_category().message(errno)));
  return file;
}

void write_all(const Descriptor& file, std::span<const std::byte> bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) fail_at(path, "write", errno);
    if (written > 0) bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void sync(const Descriptor& file, const std::filesystem::path& path) {
  // EINVAL: the file system has nothing to sync.
  if (fsync(file.number()) != 0 && errno != EINVAL) fail_at(path, "write", errno);
}

void sync_directory(const std::filesystem::path& directory) { sync(open_to_read(directory), directory); }

std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace attune
