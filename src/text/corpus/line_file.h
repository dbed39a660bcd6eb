// LineFile: the lines of a text file by number. Only where each line starts is kept in memory (8 bytes a
// line); the text is read when it is asked for, through the page cache, so files may be larger than memory.
// It is not mapped: a mapped file that someone shortens kills the process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace attune {

// Lines end with LF or CR LF; the last one need not end. A byte order mark at the beginning is skipped. Files
// compressed by gzip (recognised by their first bytes) and pipes are first copied to an unnamed file in
// $TMPDIR. What cannot be read is a UsageError.
class LineFile {
 public:
  explicit LineFile(const std::string& path);

  const std::string& path() const { return path_; }
  int64_t lines() const { return static_cast<int64_t>(starts_.size()) - 1; }
  int64_t bytes() const { return static_cast<int64_t>(starts_.back()); }
  bool copied() const { return copied_; }  // takes bytes() of room in $TMPDIR while it is open

  // Without its end. Line 0 is the first. May be called from several threads.
  std::string line(int64_t number) const;

 private:
  void index();
  void read(uint64_t from, size_t count, char* to) const;

  std::string path_;
  Descriptor file_;
  std::vector<uint64_t> starts_;  // of each line, and where the last one ends
  bool copied_ = false, last_ends_ = true;
};

}  // namespace attune
