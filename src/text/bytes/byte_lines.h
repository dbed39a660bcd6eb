// ByteLines: the lines of a ByteSource, one after the other, in constant memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/bytes/byte_source.h"

namespace attune {

// Lines end with LF or CR LF; the last one need not end.
class ByteLines {
 public:
  // It refers to the bytes.
  explicit ByteLines(ByteSource& bytes);

  bool ended();                               // whether no line is left
  int64_t number() const { return number_; }  // of the next line, from 0
  void skip_to(int64_t line);                 // or to the end, if there is no such line

  // There must be one. Of a line with more than `most` bytes only these and one more come, and the rest is
  // skipped.
  std::string next(size_t most = SIZE_MAX);

 private:
  bool fill();  // reads on if nothing is left in the buffer; false at the end
  void take_until_end_of_line(std::string* line, size_t most);

  ByteSource& bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // of what has not been given
  int64_t number_ = 0;
};

}  // namespace attune
