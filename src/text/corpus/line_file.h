// LineFile: the lines of a text file by number. Only the start of each line is kept in memory (8 bytes per
// line); the text is read when it is needed, through the page cache, so files may be larger than memory. The
// file is not mapped: if someone shortened a mapped file, the process would be killed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace attune {

// Lines end with LF or CR LF; the last one need not end. A byte order mark at the beginning is skipped. What
// is compressed or UTF-16 (recognised by its first bytes), and pipes, are first copied to an unnamed file in
// $TMPDIR. What cannot be read is a UsageError.
class LineFile {
 public:
  explicit LineFile(const std::string& path);
  // A copy of text that comes from `path`.
  LineFile(std::string path, Descriptor copy);

  const std::string& path() const { return path_; }
  int64_t lines() const { return static_cast<int64_t>(starts_.size()) - 1; }
  int64_t bytes() const { return static_cast<int64_t>(starts_.back()); }
  bool copied() const { return copied_; }  // takes bytes() of space in $TMPDIR while it is open

  // Without its line end. Line 0 is the first. May be called from several threads.
  std::string line(int64_t number) const;

 private:
  void index();
  void read(uint64_t from, size_t count, char* to) const;

  std::string path_;
  Descriptor file_;
  std::vector<uint64_t> starts_;  // of each line, and the end of the last one
  bool copied_ = false, last_ends_ = true;
};

}  // namespace attune
