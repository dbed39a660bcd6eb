// LineFile: the lines, or paragraphs, of a text file by number. Only the start of each is kept in memory (8
// bytes); the text is read when it is needed, through the page cache, so files may be larger than memory. The
// file is not mapped: if someone shortened a mapped file, the process would be killed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace attune {

// A paragraph is the lines up to a blank one (or to the end of a line after a megabyte), with LF between
// them.
enum class FileUnit : uint8_t { line, paragraph };

// Lines end with LF or CR LF; the last one need not end. A byte order mark at the beginning is skipped. What
// is compressed or UTF-16 (recognised by its first bytes), and pipes, are first copied to an unnamed file in
// $TMPDIR. What cannot be read is a UsageError.
class LineFile {
 public:
  explicit LineFile(const std::string& path, FileUnit unit = FileUnit::line);
  // A copy of text that comes from `path`.
  LineFile(std::string path, Descriptor copy, FileUnit unit = FileUnit::line);

  const std::string& path() const { return path_; }
  int64_t lines() const { return static_cast<int64_t>(starts_.size()) - 1; }
  int64_t bytes() const { return static_cast<int64_t>(starts_.back()); }
  bool copied() const { return copied_; }  // takes bytes() of space in $TMPDIR while it is open

  // Without its line end. Line 0 is the first. May be called from several threads.
  std::string line(int64_t number) const;
  // The number of the line in the file, from 0, with which a paragraph begins. It is counted now.
  int64_t first_line(int64_t number) const;

 private:
  void index();
  void index_paragraphs();
  std::string paragraph(size_t number) const;
  void read(uint64_t from, size_t count, char* to) const;

  std::string path_;
  Descriptor file_;
  FileUnit unit_;
  std::vector<uint64_t> starts_;  // of each line or paragraph, and the end of the last one
  bool copied_ = false, last_ends_ = true;
};

}  // namespace attune
