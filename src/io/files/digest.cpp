#include "io/files/digest.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/descriptor.h"
#include "io/files/crc32c.h"

namespace attune {
namespace {

std::string digest_of(size_t bytes, uint32_t sum) { return fmt::format("{} bytes, {:08x}", bytes, sum); }

}  // namespace

std::string text_digest(std::string_view text) {
  return digest_of(text.size(), crc32c(std::as_bytes(std::span(text))));
}

std::string file_digest(const std::filesystem::path& path) {
  const Descriptor file = open_to_read(path);
  std::array<std::byte, 1 << 16> buffer;
  uint32_t sum = 0;
  size_t bytes = 0;
  while (true) {
    const ssize_t count = read(file.number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_at(path, "read", errno);
    if (count == 0) return digest_of(bytes, sum);
    sum = crc32c(std::span(buffer).first(static_cast<size_t>(count)), sum);
    bytes += static_cast<size_t>(count);
  }
}

}  // namespace attune
