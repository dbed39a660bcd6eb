// LineReader: lines from a file, pipe or terminal as they arrive, in constant memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace attune {

class LineReader {
 public:
  // Does not close the descriptor. Reading ends, even while it waits, as soon as `wake` becomes readable.
  explicit LineReader(int file, int wake = -1) : file_(file), wake_(wake) {}

  // Between one and `most` lines: those that are available without waiting. Empty at the end of the input.
  // Lines come without their ends (LF or CR LF); the last one need not have one.
  std::vector<std::string> next(size_t most);

 private:
  bool read_more();  // false at the end
  bool would_wait() const;
  bool wait() const;  // false if it was woken
  void take_lines(std::vector<std::string>& lines, size_t most);

  int file_, wake_;
  std::string buffer_;
  size_t begin_ = 0;  // of the unread part
  bool ended_ = false;
};

}  // namespace attune
