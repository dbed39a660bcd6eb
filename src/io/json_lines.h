// A log with one JSON object a line (metrics.jsonl).
#pragma once

#include <cstdint>
#include <filesystem>

#include "config/entries.h"
#include "io/append_file.h"

namespace attune {

class JsonLines {
 public:
  // Goes on behind the first `bytes` of the file, which a checkpoint has kept: what was written after it will
  // come again and is cut off. A file that is shorter, or was never there, goes on after its last whole line.
  JsonLines(const std::filesystem::path& path, int64_t bytes);

  void append(const FieldList& record);
  void sync() const { file_.sync(); }
  int64_t bytes() const { return file_.size(); }

 private:
  AppendFile file_;
};

}  // namespace attune
