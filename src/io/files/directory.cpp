#include "io/files/directory.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "attune/error.h"

namespace attune {
namespace {

namespace fs = std::filesystem;

fs::path without_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

fs::path set_aside(const fs::path& target) {
  return directory_of(target) / fmt::format(".{}.attune-old", target.filename().string());
}

void move(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail_at(to, "replace", errno);
}

void sync_all(const fs::path& directory) {
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file() || entry.is_directory()) sync(open_to_read(entry.path()), entry.path());
  sync_directory(directory);
}

// It does no harm if something that is no longer needed cannot be removed.
void discard(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

// False if the system or its file system cannot do it.
bool exchange([[maybe_unused]] const fs::path& a, [[maybe_unused]] const fs::path& b) {
#ifdef RENAME_EXCHANGE
  if (renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) fail_at(b, "replace", errno);
#endif
  return false;
}

}  // namespace

AtomicDirectory::AtomicDirectory(fs::path target) : target_(without_slash(target)) {
  remove_stale_temporaries(directory_of(target_));
  temporary_ = make_temporary_directory(target_);
}

AtomicDirectory::~AtomicDirectory() { discard(temporary_.path); }

void AtomicDirectory::commit() {
  sync_all(temporary_.path);
  if (fs::exists(target_) && exchange(temporary_.path, target_))
    sync_directory(directory_of(target_));  // the temporary is the former directory now, for the destructor
  else
    replace_in_two_steps(temporary_.path, target_);
}

void replace_in_two_steps(const fs::path& from, const fs::path& target) {
  const fs::path old = set_aside(target), parent = directory_of(target);
  const bool former = fs::exists(target);
  if (former) {
    discard(old);
    move(target, old);
    sync_directory(parent);
  }
  try {
    move(from, target);
  } catch (const Error&) {
    if (former) move(old, target);
    throw;
  }
  sync_directory(parent);
  discard(old);
}

void make_directories(const fs::path& path) {
  const fs::path wanted = without_slash(path), parent = directory_of(wanted);
  if (fs::is_directory(wanted)) return;
  if (wanted.has_parent_path() && !fs::exists(parent)) make_directories(parent);
  if (mkdir(wanted.c_str(), 0777) != 0 && errno != EEXIST) fail_at(wanted, "make", errno);
  if (!fs::is_directory(wanted)) fail_at(wanted, "make", ENOTDIR);
  sync_directory(parent);
}

fs::path present_directory(const fs::path& target) {
  const fs::path old = set_aside(without_slash(target));
  return !fs::exists(target) && fs::exists(old) ? old : target;
}

}  // namespace attune
