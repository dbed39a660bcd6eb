#include "text/bytes/byte_lines.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace attune {
namespace {

constexpr size_t kBuffer = 1 << 18;

}  // namespace

ByteLines::ByteLines(ByteSource& bytes) : bytes_(bytes), buffer_(kBuffer) {}

bool ByteLines::fill() {
  if (begin_ < end_) return true;
  begin_ = 0;
  end_ = bytes_.read(buffer_);
  return end_ > 0;
}

bool ByteLines::ended() { return !fill(); }

void ByteLines::take_until_end_of_line(std::string* line, size_t most) {
  for (bool found = false; !found && fill();) {
    const char* from = buffer_.data() + begin_;
    const auto* end = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    found = end != nullptr;
    const size_t count = found ? static_cast<size_t>(end - from) : end_ - begin_;
    if (line != nullptr && line->size() <= most)
      line->append(from, std::min(count, most - line->size() + (most < SIZE_MAX ? 1 : 0)));
    begin_ += count + (found ? 1 : 0);
  }
  ++number_;
}

std::string ByteLines::next(size_t most) {
  check(!ended(), "line {} does not exist", number_ + 1);
  std::string line;
  take_until_end_of_line(&line, most);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

void ByteLines::skip_to(int64_t line) {
  while (number_ < line && !ended()) take_until_end_of_line(nullptr, 0);
}

}  // namespace attune
