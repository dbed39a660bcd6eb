#include "io/files/parts.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/check.h"

namespace attune {

void read_part(const Descriptor& file, uint64_t begin, std::span<std::byte> to,
               const std::filesystem::path& path) {
  while (!to.empty()) {
    const ssize_t got = pread(file.number(), to.data(), to.size(), static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_at(path, "read", errno);
    if (got == 0)
      throw UsageError(path.string() +
                       ": it became shorter while it was read; is another program writing it?");
    to = to.subspan(static_cast<size_t>(got));
    begin += static_cast<uint64_t>(got);
  }
}

void give_back_pages(std::span<const std::byte> mapped) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(mapped.data()), end = begin + mapped.size();
  const uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

Descriptor nameless_file() {
  std::string path = (std::filesystem::temp_directory_path() / "attune-XXXXXX").string();
  Descriptor file(mkostemp(path.data(), O_CLOEXEC));
  if (!file) fail_at(path, "create", errno);
  unlink(path.c_str());
  return file;
}

}  // namespace attune
