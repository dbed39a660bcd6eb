#include "base/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace attune {

bool LineReader::would_wait() const {
  pollfd file{file_, POLLIN, 0};
  return poll(&file, 1, 0) == 0;
}

bool LineReader::wait() const {
  pollfd files[] = {{file_, POLLIN, 0}, {wake_, POLLIN, 0}};  // a negative descriptor is left out
  while (poll(files, 2, -1) < 0) check(errno == EINTR, "the input cannot be read: {}", std::strerror(errno));
  return files[1].revents == 0;
}

bool LineReader::read_more() {
  if (!wait()) {
    buffer_.clear();
    begin_ = 0;
    return false;
  }
  constexpr size_t kPiece = 1 << 16;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t size = buffer_.size();
  buffer_.resize(size + kPiece);
  ssize_t got = 0;
  do got = read(file_, buffer_.data() + size, kPiece);
  while (got < 0 && errno == EINTR);
  check(got >= 0, "the input cannot be read: {}", std::strerror(errno));
  buffer_.resize(size + static_cast<size_t>(got));
  return got > 0;
}

void LineReader::take_lines(std::vector<std::string>& lines, size_t most) {
  while (lines.size() < most) {
    const size_t end = buffer_.find('\n', begin_);
    const bool last = end == std::string::npos;
    if (last && (!ended_ || begin_ == buffer_.size())) return;
    const size_t stop = last ? buffer_.size() : end;
    lines.push_back(buffer_.substr(begin_, stop - begin_));
    if (!last && lines.back().ends_with('\r')) lines.back().pop_back();
    begin_ = last ? stop : stop + 1;
  }
}

std::vector<std::string> LineReader::next(size_t most) {
  std::vector<std::string> lines;
  for (;;) {
    take_lines(lines, most);
    if (lines.size() == most || ended_ || (!lines.empty() && would_wait())) return lines;
    ended_ = !read_more();
  }
}

}  // namespace attune
