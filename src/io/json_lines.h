// A log with one JSON object a line (metrics.jsonl), each with the number of its update.
#pragma once

#include <cstdint>
#include <filesystem>

#include "config/entries.h"
#include "io/append_file.h"

namespace attune {

class JsonLines {
 public:
  // Training goes on after update `last`: lines of later updates, which will come again, are cut off, and so
  // is what a crash left of a line. A new file if there is none.
  JsonLines(const std::filesystem::path& path, int64_t last);

  void append(const FieldList& record);  // has a field "update"

 private:
  AppendFile file_;
};

}  // namespace attune
