// A log with one JSON object per line (metrics.jsonl).
#pragma once

#include <cstdint>
#include <filesystem>

#include "config/entries.h"
#include "io/files/append_file.h"

namespace attune {

class JsonLines {
 public:
  // Continues after the first `bytes` of the file, a number that a checkpoint keeps: later records will be
  // written again and are cut off. A file that is shorter, or new, continues after its last whole line.
  JsonLines(const std::filesystem::path& path, int64_t bytes);

  void append(const FieldList& record);
  void sync() const { file_.sync(); }
  int64_t bytes() const { return file_.size(); }

 private:
  AppendFile file_;
};

}  // namespace attune
