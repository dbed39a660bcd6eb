// LineStream: the lines of a text file from its beginning to its end, in constant memory, whatever it is
// packed in.
#pragma once

#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "text/bytes/byte_lines.h"
#include "text/bytes/text_bytes.h"

namespace attune {

// A byte order mark at the beginning is skipped.
class LineStream {
 public:
  explicit LineStream(const std::string& path)
      : file_(open_to_read(path)), text_(file_.number(), path), lines_(text_) {}
  // Of an open file, which is not closed; `name` is for messages.
  LineStream(int file, const std::string& name) : text_(file, name), lines_(text_) {}
  LineStream(const LineStream&) = delete;
  LineStream& operator=(const LineStream&) = delete;

  bool ended() { return lines_.ended(); }               // whether no line is left
  int64_t number() const { return lines_.number(); }    // of the next line, from 0
  std::string next() { return lines_.next(); }          // there must be one
  void skip_to(int64_t line) { lines_.skip_to(line); }  // or to the end, if there is no such line

 private:
  Descriptor file_;
  TextBytes text_;
  ByteLines lines_;
};

}  // namespace attune
