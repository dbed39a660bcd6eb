// ArrivingLines: the lines of a file or of stdin ("-") as they arrive. A file may be compressed or in UTF-16;
// a byte order mark is skipped. What comes through a pipe or from a terminal is plain text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/line_reader.h"
#include "text/corpus/line_stream.h"

namespace attune::cli {

class ArrivingLines {
 public:
  // A UsageError if the file cannot be opened. `wake`: see LineReader.
  ArrivingLines(const std::string& file, int wake);

  // Between one and `most` lines: those that are available without waiting. Empty at the end.
  std::vector<std::string> next(size_t most);

 private:
  Descriptor opened_;  // unless it is stdin
  std::unique_ptr<LineStream> file_;
  std::optional<LineReader> pipe_;  // if it is not a file
  bool begun_ = false;
};

}  // namespace attune::cli
