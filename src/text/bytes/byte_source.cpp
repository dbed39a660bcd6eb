#include "text/bytes/byte_source.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "attune/error.h"

namespace attune {

size_t DescriptorBytes::read(std::span<char> to) {
  for (;;) {
    const ssize_t got = ::read(file_, to.data(), to.size());
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR)
      throw UsageError(fmt::format("{}: cannot be read: {}", path_, std::generic_category().message(errno)));
  }
}

std::string_view PeekedBytes::peek(size_t count) {
  while (head_.size() < count) {
    const size_t before = head_.size();
    head_.resize(count);
    const size_t got = from_->read(std::span(head_).subspan(before));
    head_.resize(before + got);
    if (got == 0) break;
  }
  return std::string_view(head_).substr(0, count);
}

void PeekedBytes::skip(size_t count) { head_.erase(0, count); }

size_t PeekedBytes::read(std::span<char> to) {
  if (head_.empty()) return from_->read(to);
  const size_t count = std::min(to.size(), head_.size());
  std::copy_n(head_.begin(), count, to.begin());
  skip(count);
  return count;
}

}  // namespace attune
