// LineStream: the lines of a text file (or .gz) from beginning to end, in constant memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/corpus/unzipped.h"

namespace attune {

// Lines end with LF or CR LF; the last one need not. A byte order mark at the beginning is skipped.
class LineStream {
 public:
  explicit LineStream(const std::string& path);

  bool ended();                               // whether no line is left
  int64_t number() const { return number_; }  // of the next line, from 0
  std::string next();                         // there must be one
  void skip_to(int64_t line);                 // or to the end, if there is no such line

 private:
  bool fill();  // reads more if the buffer is empty; false at the end
  void take_until_end_of_line(std::string* line);

  Unzipped bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // of the unread part
  int64_t number_ = 0;
};

}  // namespace attune
