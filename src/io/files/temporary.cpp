#include "io/files/temporary.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

namespace attune {
namespace {

constexpr std::string_view kMark = ".attune-tmp-";

std::filesystem::path new_name(const std::filesystem::path& target) {
  static std::atomic<int> count = 0;
  return directory_of(target) /
         fmt::format(".{}{}{}-{}", target.filename().string(), kMark, getpid(), ++count);
}

// If a lock is refused (a file system without locks), the file is written anyway: there, unlocked files do //
// not count as stale either.
void lock(const Descriptor& file) { (void)flock(file.number(), LOCK_EX | LOCK_NB); }

}  // namespace

Temporary make_temporary_file(const std::filesystem::path& target) {
  while (true) {
    Temporary made{new_name(target), {}};
    made.file = Descriptor(open(made.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!made.file && errno == EEXIST) continue;
    if (!made.file) fail_at(target, "write", errno);
    lock(made.file);
    return made;
  }
}

Temporary make_temporary_directory(const std::filesystem::path& target) {
  while (true) {
    Temporary made{new_name(target), {}};
    if (mkdir(made.path.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      fail_at(target, "make", errno);
    }
    made.file = open_to_read(made.path);
    lock(made.file);
    return made;
  }
}

int remove_stale_temporaries(const std::filesystem::path& directory) {
  std::error_code none;
  int removed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory, none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') || name.find(kMark) == std::string::npos) continue;
    const Descriptor file(open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    if (!file || flock(file.number(), LOCK_EX | LOCK_NB) != 0) continue;
    std::error_code error;
    std::filesystem::remove_all(entry.path(), error);
    if (!error) ++removed;
  }
  return removed;
}

}  // namespace attune
