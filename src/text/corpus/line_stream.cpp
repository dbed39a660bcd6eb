#include "text/corpus/line_stream.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace attune {
namespace {

constexpr size_t kBuffer = 1 << 18;

}  // namespace

LineStream::LineStream(const std::string& path) : bytes_(open_to_read(path), path), buffer_(kBuffer) {
  while (end_ < 3) {
    const size_t got = bytes_.read(std::span(buffer_).subspan(end_));
    if (got == 0) break;
    end_ += got;
  }
  if (end_ >= 3 && std::memcmp(buffer_.data(), "\xEF\xBB\xBF", 3) == 0) begin_ = 3;
}

bool LineStream::fill() {
  if (begin_ < end_) return true;
  begin_ = 0;
  end_ = bytes_.read(buffer_);
  return end_ > 0;
}

bool LineStream::ended() { return !fill(); }

void LineStream::take_until_end_of_line(std::string* line) {
  for (bool found = false; !found && fill();) {
    const char* from = buffer_.data() + begin_;
    const auto* end = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    found = end != nullptr;
    const size_t count = found ? static_cast<size_t>(end - from) : end_ - begin_;
    if (line != nullptr) line->append(from, count);
    begin_ += count + (found ? 1 : 0);
  }
  ++number_;
}

std::string LineStream::next() {
  check(!ended(), "line {} does not exist", number_ + 1);
  std::string line;
  take_until_end_of_line(&line);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

void LineStream::skip_to(int64_t line) {
  while (number_ < line && !ended()) take_until_end_of_line(nullptr);
}

}  // namespace attune
